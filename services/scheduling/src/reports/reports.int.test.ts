import { randomUUID } from 'node:crypto';
import {
  appointmentSources,
  appointmentStatuses,
  closeSchedulingReports,
  followupStatuses,
  type ReplyOf,
  reportLeadScheduling,
  resetSchedulingReports,
  summarizeScheduling,
  updateAppointment,
  verifySchedulingReports,
} from '@mostrador/contracts';
import { toRows } from '@mostrador/kit/rpc/columns';
import { testContext } from '@mostrador/testing/context';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startFollowups, type TestFollowups } from '../../test/followups.ts';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';

let scheduling: TestScheduling;
let followups: TestFollowups;
beforeAll(async () => {
  scheduling = await startScheduling();
  followups = await startFollowups(scheduling);
});
afterAll(async () => {
  await followups?.stop();
  await scheduling?.stop();
});

const minuteMs = 60_000;
const quarterMs = 15 * minuteMs;
const dayMs = 24 * 60 * minuteMs;
const inMs = (ms: number) => new Date(Date.now() + ms);
const patient = () => testContext();
const summary = async (storeId: string, boundaries: readonly Date[]) => {
  const { rpc } = scheduling;
  const context = testContext({ storeId });
  const inMs = boundaries.map((at) => at.getTime());
  const counted = await rpc.call(summarizeScheduling, { body: { boundaries: inMs } }, context);
  const { appointments, followups } = counted;
  return {
    ...counted,
    appointments: { ...appointments, buckets: toRows(appointments.buckets, boundaries.length - 1) },
    followups: { ...followups, buckets: toRows(followups.buckets, boundaries.length - 1) },
  };
};
const report = (storeId: string, lead_id: string, [from, to]: readonly [Date | null, Date | null] = [null, null]) =>
  scheduling.rpc.call(
    reportLeadScheduling,
    { body: { lead_id, from: from?.toISOString() ?? null, to: to?.toISOString() ?? null } },
    testContext({ storeId }),
  );
const close = async () => {
  while ((await scheduling.rpc.call(closeSchedulingReports, {}, patient())).more);
};
const verify = () => scheduling.rpc.call(verifySchedulingReports, { body: { after: null } }, patient());
/** Resets the rollups to the state in which the job has closed only the quarter-hours before this one. */
const reopen = async (from: Date) => {
  await scheduling.adminSql`delete from report_quarters where quarter >= ${from}`;
  await scheduling.adminSql`update report_closing set closed_until = ${from}`;
};

/* ---- histories, inserted as the rows that they would leave ---- */

const [knownSellers, knownServices] = [
  [randomUUID(), randomUUID()],
  [randomUUID(), randomUUID()],
];
const days = 4;
const time = fc.oneof(
  fc.integer({ min: 0, max: days * dayMs }),
  fc.integer({ min: 0, max: (days * dayMs) / quarterMs }).map((n) => n * quarterMs),
);
const appointment = fc.record({ status: fc.constantFrom(...appointmentStatuses), createdAt: time });
const followup = fc.record({ status: fc.constantFrom(...followupStatuses), createdAt: time, takes: time });
const fact = fc.record({
  metric: fc.constantFrom(
    ...(['refused', 'moved', 'confirmed', 'no_shows'] as const),
    ...appointmentSources.map((source) => `cancelled_${source}` as const),
  ),
  seller: fc.option(fc.constantFrom(...knownSellers)),
  service: fc.option(fc.constantFrom(...knownServices)),
  at: time,
});
const history = fc.record({
  facts: fc.array(fact, { maxLength: 8 }),
  /** Without a lead. */
  appointments: fc.array(appointment, { maxLength: 5 }),
  leads: fc.array(
    fc.record({
      appointments: fc.array(appointment, { maxLength: 5 }),
      followups: fc.array(followup, { maxLength: 6 }),
    }),
    {
      minLength: 1,
      maxLength: 5,
    },
  ),
});
type History = typeof history extends fc.Arbitrary<infer Value> ? Value : never;

async function insertHistory(
  storeId: string,
  beganAt: Date,
  { facts, appointments, leads }: History,
): Promise<string[]> {
  const { adminSql } = scheduling;
  const moment = (ms: number) => new Date(beganAt.getTime() + ms);
  const insertAppointments = async (lead_id: string | null, all: History['appointments']) => {
    for (const { status, createdAt } of all) {
      await adminSql`insert into appointments ${adminSql({
        store_id: storeId,
        lead_id,
        title: 'Haircut',
        scheduled_at: moment(createdAt),
        duration_minutes: 60,
        status,
        created_at: moment(createdAt),
      })}`;
    }
  };
  await insertAppointments(null, appointments);
  for (const { metric, seller, service, at } of facts) {
    await adminSql`insert into appointment_facts ${adminSql({
      ...{
        store_id: storeId,
        metric: `appointments_${metric}`,
        seller_id: seller,
        service_id: service,
        at: moment(at),
      },
    })}`;
  }
  const ids: string[] = [];
  for (const lead of leads) {
    const lead_id = randomUUID();
    ids.push(lead_id);
    await insertAppointments(lead_id, lead.appointments);
    for (const { status, createdAt, takes } of lead.followups) {
      const id = randomUUID();
      await adminSql`insert into followups ${adminSql({
        store_id: storeId,
        id,
        lead_id,
        message: 'Hello',
        due_at: moment(createdAt),
        next_attempt_at: status === 'pending' || status === 'sending' ? moment(createdAt + takes) : null,
        status,
        message_id: status === 'sent' ? id : null,
        error_code: status === 'failed' ? 'messaging_window_closed' : null,
        error_detail: status === 'failed' ? '' : null,
        cancel_reason: status === 'cancelled' ? 'api' : null,
        cancel_on_reply: true,
        cancel_on_appointment: false,
        created_at: moment(createdAt),
        updated_at: moment(createdAt + takes),
      })}`;
    }
  }
  return ids;
}

const changesIn = (facts: readonly { metric?: string }[]) => {
  const count = (metric: string) => facts.filter((row) => row.metric === `appointments_${metric}`).length;
  return {
    ...{ refused: count('refused'), moved: count('moved'), confirmed: count('confirmed'), no_shows: count('no_shows') },
    cancelled: Object.fromEntries(appointmentSources.map((source) => [source, count(`cancelled_${source}`)])),
  };
};
const noChanges = changesIn([]);

/** Counts the rows of a store, or of one of its leads, one by one. */
async function recount(storeId: string, [from, to]: readonly [Date, Date], leadId?: string) {
  const { adminSql } = scheduling;
  const ofLead = leadId === undefined ? adminSql`` : adminSql`and lead_id = ${leadId}`;
  const within = (at: Date): boolean => at >= from && at < to;
  const appointments = await adminSql`select * from appointments where store_id = ${storeId} ${ofLead}`;
  const rows = await adminSql`select * from followups where store_id = ${storeId} ${ofLead}`;
  const settled = (status: string) => rows.filter((row) => row.status === status && within(row.updated_at)).length;
  const created = appointments.filter((row) => within(row.created_at));
  const facts = (await adminSql`select * from appointment_facts where store_id = ${storeId}`).filter(({ at }) =>
    within(at),
  );
  const ofEach = (name: 'seller_id' | 'service_id', ids: readonly string[]) =>
    ids.toSorted().flatMap((id) => {
      const own = facts.filter((row) => row[name] === id);
      const called = name === 'service_id' ? { name: null } : {};
      return own.length === 0 ? [] : [{ [name]: id, ...called, ...changesIn(own) }];
    });
  return {
    appointments: {
      ...{ created: created.length, without_lead: created.filter((row) => row.lead_id === null).length },
      ...changesIn(facts),
    },
    bySeller: ofEach('seller_id', knownSellers),
    byService: ofEach('service_id', knownServices),
    byStatus: Object.fromEntries(
      appointmentStatuses.map((status) => [status, appointments.filter((row) => row.status === status).length]),
    ),
    followupsByStatus: Object.fromEntries(
      followupStatuses.map((status) => [status, rows.filter((row) => row.status === status).length]),
    ),
    followups: {
      scheduled: rows.filter((row) => within(row.created_at)).length,
      sent: settled('sent'),
      failed: settled('failed'),
      cancelled: settled('cancelled'),
    },
  };
}

type LeadReport = ReplyOf<typeof reportLeadScheduling>;
const total = (all: readonly LeadReport[], count: (one: LeadReport) => number) =>
  all.reduce((sum, one) => sum + count(one), 0);

test('the summary equals a recount of the rows and the sum over all leads, however many quarter-hours are closed', async () => {
  const beganAt = new Date(Math.floor(Date.now() / dayMs) * dayMs - 10 * dayMs);
  await fc.assert(
    fc.asyncProperty(
      history,
      history,
      fc.uniqueArray(time, { minLength: 2, maxLength: 6 }),
      fc.integer({ min: 0, max: (days * dayMs) / quarterMs }),
      async (own, others, cuts, closedQuarters) => {
        await scheduling.rpc.call(resetSchedulingReports, {}, patient());
        const storeId = randomUUID();
        const leads = await insertHistory(storeId, beganAt, own);
        await insertHistory(randomUUID(), beganAt, others);
        const boundaries = cuts.sort((a, b) => a - b).map((ms) => new Date(beganAt.getTime() + ms));
        const whole = [boundaries[0], boundaries.at(-1)] as [Date, Date];
        const counted = await recount(storeId, whole);
        const buckets = await Promise.all(
          boundaries.slice(1).map((to, n) => recount(storeId, [boundaries[n] as Date, to])),
        );
        const expected = {
          appointments: { total: counted.appointments, buckets: buckets.map(({ appointments }) => appointments) },
          appointments_by_status: counted.byStatus,
          appointments_by_seller: counted.bySeller,
          appointments_by_service: counted.byService,
          followups: { total: counted.followups, buckets: buckets.map(({ followups }) => followups) },
        };
        expect(await summary(storeId, boundaries), 'open').toEqual(expected);
        await close();
        expect(await summary(storeId, boundaries), 'closed').toEqual(expected);
        await reopen(new Date(beganAt.getTime() + closedQuarters * quarterMs));
        expect(await summary(storeId, boundaries), 'closed in part').toEqual(expected);
        await close();
        expect(await summary(storeId, boundaries), 'closed in two').toEqual(expected);
        const ofLeads = await Promise.all(leads.map((lead) => report(storeId, lead, whole)));
        for (const [n, one] of ofLeads.entries()) {
          const { appointments, byStatus, followups, followupsByStatus } = await recount(storeId, whole, leads[n]);
          expect(one).toEqual({
            appointments: { created: appointments.created, by_status: byStatus },
            followups: { ...followups, by_status: followupsByStatus },
          });
        }
        const { created, without_lead } = counted.appointments;
        expect(total(ofLeads, (one) => one.appointments.created) + without_lead).toBe(created);
        for (const name of ['scheduled', 'sent', 'failed', 'cancelled'] as const) {
          expect(
            total(ofLeads, (one) => one.followups[name]),
            name,
          ).toBe(counted.followups[name]);
        }
        expect((await verify()).wrong).toEqual([]);
      },
    ),
    // No shrinking, because every example is written to the database.
    { numRuns: 5, endOnFailure: true },
  );
});

test('a follow-up counts at the moment it was scheduled, sent, failed or cancelled', async () => {
  const { storeId, leadId, create, cancel, step, makeDue, world } = followups;
  const span = [inMs(-10 * minuteMs), inMs(10 * minuteMs)] as const;
  const counts = async () => {
    const { followups: ofStore } = await summary(storeId, span);
    const {
      followups: { by_status: _, ...ofLead },
    } = await report(storeId, leadId, span);
    expect(ofLead).toEqual(ofStore.total);
    return ofStore.total;
  };
  const due = async () => {
    const { id } = await create();
    await makeDue(id);
    return id;
  };
  const [sent, failed, cancelled] = [await due(), await due(), await due()];
  expect(await counts()).toEqual({ scheduled: 3, sent: 0, failed: 0, cancelled: 0 });
  world.answer = async () => ({ status: 'queued', error: null });
  await step(sent);
  expect(await counts()).toMatchObject({ sent: 0 });
  await makeDue(sent);
  world.answer = async () => ({ status: 'sent', error: null });
  await step(sent);
  world.answer = async () => ({ status: 'failed', error: { code: 'whatsapp_131026', detail: 'Undeliverable.' } });
  await step(failed);
  await cancel(cancelled);
  expect(await counts()).toEqual({ scheduled: 3, sent: 1, failed: 1, cancelled: 1 });
  // Further steps and cancellations do not change the row of a settled follow-up.
  const rows = () =>
    scheduling.adminSql`select id, xmin, updated_at from followups where store_id = ${storeId} order by id`;
  const before = await rows();
  for (const id of [sent, failed, cancelled]) {
    await step(id);
    await expect(cancel(id)).rejects.toMatchObject({ code: 'followup_not_pending' });
  }
  expect(await rows()).toEqual(before);
});

test('an appointment counts at its creation, and the counts by status are current and cover all appointments', async () => {
  const storeId = randomUUID();
  const leadId = scheduling.addLead(storeId);
  await scheduling.create(randomUUID());
  await scheduling.create(storeId, { lead_id: leadId, scheduled_at: inMs(100 * dayMs).toISOString() });
  const { id: appointmentId } = await scheduling.create(storeId, { scheduled_at: inMs(-dayMs).toISOString() });
  const params = { appointmentId };
  await scheduling.rpc.call(updateAppointment, { params, body: { status: 'no_show' } }, testContext({ storeId }));
  const byStatus = { scheduled: 1, done: 0, cancelled: 0, no_show: 1 };
  const created = { ...noChanges, created: 2, without_lead: 1, no_shows: 1 };
  const none = { ...noChanges, created: 0, without_lead: 0 };
  expect(await summary(storeId, [inMs(-minuteMs * 10), inMs(minuteMs * 10), inMs(dayMs)])).toMatchObject({
    appointments: { total: created, buckets: [created, none] },
    appointments_by_status: byStatus,
  });
  expect(await summary(storeId, [inMs(dayMs), inMs(2 * dayMs)])).toMatchObject({
    appointments: { total: none },
    appointments_by_status: byStatus,
  });
  const ofLead = { created: 1, by_status: { ...byStatus, no_show: 0 } };
  expect((await report(storeId, leadId)).appointments).toEqual(ofLead);
  expect((await report(storeId, leadId, [null, inMs(-dayMs)])).appointments).toEqual({ ...ofLead, created: 0 });
});

test('the counts by status stay exact under concurrent creation, change and deletion', async () => {
  const storeId = randomUUID();
  const { adminSql } = scheduling;
  const create = () => scheduling.create(storeId, { scheduled_at: inMs(dayMs).toISOString() });
  const created = await Promise.all(Array.from({ length: 40 }, create));
  const change = (appointmentId: string, status: (typeof appointmentStatuses)[number]) =>
    scheduling.rpc.call(updateAppointment, { params: { appointmentId }, body: { status } }, testContext({ storeId }));
  const changes = created.slice(0, 30).map(({ id }, n) => change(id, n % 3 === 0 ? 'cancelled' : 'done'));
  await Promise.all([...changes, ...Array.from({ length: 10 }, create)]);
  await adminSql`update appointments set title = 'Shave' where store_id = ${storeId}`;
  const cancelled = adminSql`select id from appointments where store_id = ${storeId} and status = 'cancelled' limit 4`;
  await adminSql`delete from appointments where store_id = ${storeId} and id in (${cancelled})`;
  await adminSql`
    update appointments set status = case status when 'done' then 'no_show' else 'done' end where store_id = ${storeId}`;
  const expected = { scheduled: 0, done: 26, cancelled: 0, no_show: 20 };
  expect((await recount(storeId, [inMs(0), inMs(0)])).byStatus).toEqual(expected);
  const counted = async () => (await summary(storeId, [inMs(-dayMs), inMs(dayMs)])).appointments_by_status;
  expect(await counted()).toEqual(expected);
  await scheduling.dependencies.listTotals.run(new AbortController().signal);
  expect(await counted()).toEqual(expected);
  // From here on no report counts rows.
  await adminSql`update list_totals set rows = rows + 100 where store_id = ${storeId} and status = 'done'`;
  expect(await counted()).toEqual({ ...expected, done: 126 });
});

test('a store or a lead without rows has zero counts', async () => {
  const byStatus = { scheduled: 0, done: 0, cancelled: 0, no_show: 0 };
  const none = { scheduled: 0, sent: 0, failed: 0, cancelled: 0 };
  const noAppointments = { ...noChanges, created: 0, without_lead: 0 };
  expect(await summary(randomUUID(), [inMs(-dayMs), inMs(dayMs)])).toEqual({
    appointments: { total: noAppointments, buckets: [noAppointments] },
    appointments_by_status: byStatus,
    appointments_by_seller: [],
    appointments_by_service: [],
    followups: { total: none, buckets: [none] },
  });
  for (const [store, lead] of [
    [followups.storeId, randomUUID()],
    [randomUUID(), followups.leadId],
  ] as const) {
    expect(await report(store, lead)).toEqual({
      appointments: { created: 0, by_status: byStatus },
      followups: { ...none, by_status: { pending: 0, sending: 0, sent: 0, failed: 0, cancelled: 0 } },
    });
  }
});
