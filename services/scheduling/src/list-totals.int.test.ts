import { randomUUID } from 'node:crypto';
import {
  type Appointment,
  appointmentStatuses,
  type Followup,
  type FollowupSort,
  followupStatuses,
  listAppointments,
  listFollowups,
  mergeLeadScheduling,
  updateAppointment,
} from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import type { TimePageStart } from '@mostrador/kit/database/paging';
import { testContext } from '@mostrador/testing/context';
import { type CountedRows, holdTotals } from '@mostrador/testing/servers/list-totals';
import { explain, explainGeneric } from '@mostrador/testing/servers/plan';
import { openSnapshots, type Snapshots } from '@mostrador/testing/servers/snapshots';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFollowups } from '../test/followups.ts';
import { startScheduling, type TestScheduling } from '../test/scheduling.ts';
import { appointmentList } from './appointments/appointment-list.repository.ts';
import type { schedulingLists } from './dependencies.ts';
import { cancelBatchOfLead } from './followups/followup.repository.ts';
import { followupList } from './followups/followup-list.repository.ts';
import type { FollowupFilters } from './followups/followup-list.ts';
import { rowsOf } from './list-filters.ts';

const { count: countAppointments, page: listAppointmentRows } = appointmentList;
const { count: countFollowups, page: listFollowupRows } = followupList;

let scheduling: TestScheduling;
let snapshots: Snapshots;
beforeAll(async () => {
  scheduling = await startScheduling();
  snapshots = openSnapshots(scheduling);
});
afterAll(async () => {
  await snapshots?.close();
  await scheduling?.stop();
});

const casesOf =
  (storeId: string) =>
  (sql: Sql): CountedRows<(typeof schedulingLists)[number]>[] => [
    ...[{}, ...appointmentStatuses.map((one) => ({ status: [one] })), { status: ['scheduled', 'done'] as const }].map(
      (filters) => ({
        rows: rowsOf('appointments', filters) ?? { list: 'appointments' as const },
        recount: countAppointments(sql, storeId, filters),
      }),
    ),
    ...[undefined, ...followupStatuses].map((status) => ({
      rows: rowsOf('followups', status ? { status: [status] } : {}) ?? { list: 'followups' as const },
      recount: countFollowups(sql, storeId, status ? { status: [status] } : {}),
    })),
    {
      rows: rowsOf('followups', { status: ['cancelled', 'pending'] }) ?? { list: 'followups' as const },
      recount: countFollowups(sql, storeId, { status: ['cancelled', 'pending'] }),
    },
  ];

type Action =
  | { readonly kind: 'appointment' | 'followup' | 'cancel all' | 'merge' | 'undone' | 'list' | 'run' | 'rebuild' }
  | { readonly kind: 'change'; readonly appointment: number; readonly status: number }
  | { readonly kind: 'cancel' | 'step'; readonly followup: number };

const nat = fc.nat({ max: 9 });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom<
        ('appointment' | 'followup' | 'cancel all' | 'merge' | 'undone' | 'list' | 'run' | 'rebuild')[]
      >(
        ...(['appointment', 'appointment', 'followup', 'followup', 'cancel all', 'merge'] as const),
        ...(['undone', 'list', 'run', 'run', 'rebuild'] as const),
      ),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('change' as const), appointment: nat, status: fc.nat({ max: 3 }) }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('cancel' as const, 'step' as const), followup: nat }) },
);

test('at every moment of any concurrent changes, folds, first reads and rebuilds, each total is a recount', async () => {
  const { dependencies, rpc } = scheduling;
  const { listTotals, database } = dependencies;
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 10, maxLength: 30 }), async (actions) => {
      const followups = await startFollowups(scheduling);
      const { storeId, leadId } = followups;
      const context = () => testContext({ storeId });
      const made = { appointments: [] as Appointment[], followups: [] as Followup[] };
      const run = async (one: Action): Promise<unknown> => {
        switch (one.kind) {
          case 'appointment':
            return made.appointments.push(await scheduling.create(storeId));
          case 'change': {
            const appointment = made.appointments[one.appointment % Math.max(made.appointments.length, 1)];
            const body = { status: appointmentStatuses[one.status] ?? 'done', notes: 'x' };
            return (
              appointment &&
              (await rpc.call(updateAppointment, { params: { appointmentId: appointment.id }, body }, context()))
            );
          }
          case 'followup':
            return made.followups.push(await followups.create());
          case 'cancel':
          case 'step': {
            const followup = made.followups[one.followup % Math.max(made.followups.length, 1)];
            if (!followup) return;
            if (one.kind === 'cancel') return await followups.cancel(followup.id);
            await followups.makeDue(followup.id).catch(() => {});
            return await followups.step(followup.id);
          }
          case 'cancel all':
            return await database.write(context(), (sql) =>
              cancelBatchOfLead(sql, storeId, { leadId, reason: 'lead_deleted' }, 10),
            );
          case 'merge': {
            const body = { lead_id: leadId, merged_into: scheduling.addLead(storeId) };
            return await rpc.call(mergeLeadScheduling, { body }, context());
          }
          case 'undone': {
            const undone = new Error('undone');
            return await database
              .write(context(), async (sql) => {
                await sql`update appointments set status = 'no_show' where store_id = ${storeId}`;
                throw undone;
              })
              .catch((error) => {
                if (error !== undone) throw error;
              });
          }
          case 'list':
            await rpc.call(listAppointments, { query: {} }, context());
            return await rpc.call(listFollowups, { query: { status: 'pending' } }, context());
          case 'run':
            return await listTotals.run(new AbortController().signal);
          case 'rebuild':
            return await listTotals.rebuild(context());
        }
      };
      try {
        await holdTotals(
          { snapshots, listTotals, scope: context, cases: casesOf(storeId) },
          actions.map((one) => () => run(one)),
        );
      } finally {
        await followups.stop();
      }
    }),
    { numRuns: 6 },
  );
});

test('a list by status reads totals, and a list by date or lead counts rows', async () => {
  const { storeId, leadId, create, stop } = await startFollowups(scheduling);
  const context = () => testContext({ storeId });
  await create();
  await scheduling.create(storeId);
  await scheduling.dependencies.listTotals.rebuild(context());
  await scheduling.adminSql`update list_totals set rows = rows + 10 where store_id = ${storeId}`;
  const total = async (list: typeof listAppointments | typeof listFollowups, query: object) =>
    (await scheduling.rpc.call(list, { query }, context())).total;
  for (const [list, status] of [
    [listAppointments, 'scheduled'],
    [listFollowups, 'pending'],
  ] as const) {
    expect([await total(list, {}), await total(list, { status })]).toEqual([11, 11]);
    for (const query of [
      { lead_id: leadId },
      { from: '2020-01-01T00:00:00Z' },
      { to: '2020-01-01T00:00:00Z', status },
    ]) {
      expect(await total(list, query)).toBeLessThanOrEqual(1);
    }
  }
  await stop();
});

test('a plan for any values finds pages by an index, and expects few rows between two dates', async () => {
  const { adminSql, database } = scheduling;
  const context = testContext();
  const { storeId } = context;
  // Such a plan expects as many rows of each store. A hundred more stores have one.
  const store = (sql: typeof adminSql) => sql`case when n > 10000 then gen_random_uuid() else ${storeId}::uuid end`;
  await adminSql`
    insert into appointments (store_id, title, scheduled_at, duration_minutes)
    select ${store(adminSql)}, 'Haircut', now() + n * interval '1 minute', 60 from generate_series(1, 10100) n`;
  await adminSql`
    insert into followups (store_id, lead_id, message, due_at, next_attempt_at, cancel_on_reply, cancel_on_appointment)
    select ${store(adminSql)}, gen_random_uuid(), 'Hello', now() + n * interval '1 minute', now(), true, true
    from generate_series(1, 10100) n`;
  await adminSql`analyze appointments, followups`;
  for (const count of [countAppointments, countFollowups]) {
    for (const filter of [{ from: new Date() }, { to: new Date() }, { from: new Date(), to: new Date() }]) {
      const nodes = await database.read(context, (sql) => explainGeneric(sql, count(sql, storeId, filter)));
      expect(Math.max(...nodes.map((node) => node['Plan Rows']))).toBeLessThan(200);
    }
  }
  type Page = { start: TimePageStart; limit: number };
  const lists = [
    (sql: Sql, page: Page) => listAppointmentRows(sql, storeId, {}, { ...page, sort: 'scheduled_at' }),
    (sql: Sql, page: Page) =>
      listAppointmentRows(sql, storeId, { status: ['cancelled'] }, { ...page, sort: 'scheduled_at' }),
    (sql: Sql, page: Page) => listFollowupRows(sql, storeId, {}, { ...page, sort: 'due_at' }),
    (sql: Sql, page: Page) => listFollowupRows(sql, storeId, { status: ['cancelled'] }, { ...page, sort: 'due_at' }),
  ];
  for (const list of lists) {
    for (const start of [{ offset: 0 }, { after: { at: new Date(), id: storeId } }]) {
      const page = (sql: Sql) => explainGeneric(sql, list(sql, { start, limit: 51 }));
      const nodes = await database.read(context, page, { inIndexOrder: true });
      const types = nodes.map((node) => node['Node Type']);
      expect(types).toEqual(['Limit', 'Result', 'Result', 'Index Scan']);
      expect(nodes.every((node) => node.Filter === undefined)).toBe(true);
    }
  }
  // The follow-ups of several statuses, of one appointment, and those that changed lately.
  const appointment_id = randomUUID();
  await adminSql`
    update followups set appointment_id = ${appointment_id}, updated_at = now() + interval '1 hour'
    where (store_id, id) in (select store_id, id from followups where store_id = ${storeId} limit 10)`;
  await adminSql`analyze followups`;
  const updated_after = new Date(Date.now() + 60_000);
  for (const [sort, filter] of [
    ['due_at', { status: ['cancelled', 'pending'] }],
    ['due_at', { appointment_id }],
    ['due_at', { updated_after }],
    ['updated_at', {}],
    ['updated_at', { status: ['cancelled', 'pending'], updated_after }],
    ['updated_at', { appointment_id }],
  ] satisfies [FollowupSort, FollowupFilters][]) {
    const page = { sort, start: { offset: 0 }, limit: 51 };
    const nodes = await database.read(context, (sql) => explain(sql, listFollowupRows(sql, storeId, filter, page)));
    expect(nodes.map((node) => node['Node Type'])).not.toContain('Seq Scan');
    const read = nodes.map(
      (node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops'],
    );
    expect(Math.max(...read)).toBeLessThanOrEqual(51);
  }
});
