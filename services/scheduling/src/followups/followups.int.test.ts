import { randomUUID } from 'node:crypto';
import {
  cancelFollowup,
  createFollowup,
  type Followup,
  getFollowup,
  listFollowups,
  type RequestOf,
  replanFollowups,
  updateSendingWindows,
} from '@mostrador/contracts';
import type { Database } from '@mostrador/kit/database/database';
import { countOverdue, wakeOverdue } from '@mostrador/kit/step/overdue';
import { testContext } from '@mostrador/testing/context';
import { expectDelay } from '@mostrador/testing/delay';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startFollowups, type TestFollowups } from '../../test/followups.ts';
import { inHours, startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { cancelFollowups } from './cancel-followups.ts';
import { createFollowup as createFollowupWith } from './create-followup.ts';
import { overdueFollowups } from './wake-overdue.ts';

let scheduling: TestScheduling;
let followups: TestFollowups;
beforeAll(async () => {
  scheduling = await startScheduling();
});
beforeEach(async () => {
  followups = await startFollowups(scheduling);
});
afterEach(() => followups.stop());
afterAll(() => scheduling?.stop());

const context = (storeId: string = followups.storeId) => testContext({ storeId });
const list = (query: RequestOf<typeof listFollowups>['query'], storeId?: string) =>
  scheduling.rpc.call(listFollowups, { query }, context(storeId));
const invalid = (pointer: string) => ({
  code: 'validation_failed',
  members: { errors: [expect.objectContaining({ pointer })] },
});

describe('creating', () => {
  test('a creation returns the follow-up with its defaults and writes one wake-up and one event', async () => {
    const due_at = inHours(5);
    const created = await followups.create({ due_at });
    expect(created).toEqual({
      id: expect.any(String),
      lead_id: followups.leadId,
      message: 'Hello',
      template: null,
      due_at,
      next_attempt_at: due_at,
      status: 'pending',
      message_id: null,
      error: null,
      cancel_reason: null,
      cancel_on_reply: true,
      cancel_on_appointment: false,
      expires_at: null,
      appointment_id: null,
      reminder: null,
      metadata: {},
      created_at: expect.any(String),
      updated_at: created.created_at,
    });
    expect(await followups.read(created.id)).toEqual(created);
    expect(await scheduling.wakeUps(followups.storeId)).toEqual([
      { entity_id: created.id, lead_id: followups.leadId, signal: 'scheduled' },
    ]);
    expect(await scheduling.events(followups.storeId)).toEqual([
      {
        topic: 'scheduling.followup.scheduled',
        data: { followup_id: created.id, lead_id: followups.leadId, due_at },
      },
    ]);
    expect(await scheduling.feed(followups.storeId)).toMatchObject([
      { type: 'followup.scheduled', entity_id: created.id, data: { due_at, object: created } },
    ]);
  });

  test('a follow-up to a lead that has opted out is refused at once, and leaves nothing', async () => {
    followups.world.optedOutAt = new Date().toISOString();
    await expect(followups.create()).rejects.toMatchObject({ code: 'lead_opted_out' });
    expect(await list({})).toMatchObject({ total: 0 });
    expect(await scheduling.wakeUps(followups.storeId)).toEqual([]);
  });

  test('a creation works while messaging is down', async () => {
    await followups.stopMessaging();
    expect(await followups.create()).toMatchObject({ status: 'pending' });
  });

  test('a template that the channel cannot send is refused, when it is created and when it is changed', async () => {
    const template = { name: 'winter_sale', language: 'en' };
    const { id } = await followups.create({ delay_minutes: 90, template });
    const fault = { pointer: '#/template/components', detail: 'must have 1 parameter' };
    followups.world.templateFaults = [fault];
    await expect(followups.create({ template })).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: [fault] },
    });
    followups.world.templateError = 'template_not_approved';
    await expect(followups.create({ template })).rejects.toMatchObject({ code: 'template_not_approved' });
    const changed = followups.change(id, { template: { ...template, language: 'pt_BR' } });
    await expect(changed).rejects.toMatchObject({ code: 'template_not_approved' });
    expect(await followups.read(id)).toMatchObject({ template });
    expect(await followups.change(id, { template: null })).toMatchObject({ template: null });
  });

  test('`delay_minutes` counts from now, and the template is stored unchanged', async () => {
    const template = { name: 'reminder', language: 'pt_BR', components: [{ type: 'body', parameters: [] }] };
    const sinceMs = Date.now();
    const { due_at, ...created } = await followups.create({ delay_minutes: 90, template });
    expectDelay(due_at, { sinceMs, least: 90 * 60, most: 90 * 60 });
    expect(created.template).toEqual(template);
  });

  test.each([
    [() => ({ due_at: inHours(-0.01) }), '#/due_at'],
    [() => ({ due_at: inHours(24 * 366 + 1) }), '#/due_at'],
  ])('a moment in the past or beyond the horizon is rejected', async (body, pointer) => {
    await expect(followups.create(body())).rejects.toMatchObject(invalid(pointer));
  });

  test('an expiry, an appointment and metadata are kept, and shown in every answer and event', async () => {
    const { id: appointment_id } = await scheduling.create(followups.storeId);
    const [due_at, expires_at] = [inHours(5), inHours(6)];
    const given = { due_at, expires_at: expires_at.replace('Z', '+00:00'), metadata: { kind: 'reminder', empty: '' } };
    const created = await followups.create({ ...given, appointment_id: appointment_id.toUpperCase() });
    expect(created).toMatchObject({ expires_at, appointment_id, metadata: { kind: 'reminder' } });
    expect(await followups.read(created.id)).toEqual(created);
    expect((await list({})).data).toEqual([created]);
    expect((await scheduling.feed(followups.storeId)).at(-1)).toMatchObject({ data: { object: created } });
  });

  test.each([
    ['before `due_at`', () => ({ due_at: inHours(5), expires_at: inHours(4) })],
    ['at `due_at`', () => ({ due_at: '2027-01-31T09:00:00Z', expires_at: '2027-01-31T10:00:00+01:00' })],
    ['before the delay is over', () => ({ delay_minutes: 300, expires_at: inHours(4) })],
    ['in the past', () => ({ delay_minutes: 0, expires_at: inHours(-1) })],
  ])('an expiry %s is rejected', async (_, body) => {
    const creating = { lead_id: followups.leadId, message: 'Hello', ...body() };
    await expect(scheduling.rpc.call(createFollowup, { body: creating }, context())).rejects.toMatchObject(
      invalid('#/expires_at'),
    );
  });

  test('metadata of more than 4 KiB is rejected', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 9 }, (_, n) => [`m${n}`, 'x'.repeat(500)]));
    await expect(followups.create({ metadata })).rejects.toMatchObject(invalid('#/metadata'));
  });

  test('an unknown appointment and one of another store are rejected before an opt-out is, and nothing is stored', async () => {
    followups.world.optedOutAt = new Date().toISOString();
    const other = await scheduling.create(randomUUID());
    for (const appointment_id of [randomUUID(), other.id]) {
      await expect(followups.create({ appointment_id })).rejects.toMatchObject({ code: 'appointment_not_found' });
    }
    expect(await list({})).toMatchObject({ total: 0 });
  });

  test('what is not valid is told before what is not there, and that before an opt-out', async () => {
    followups.world.optedOutAt = new Date().toISOString();
    const unknown = { lead_id: randomUUID() };
    const past = { due_at: inHours(-1) };
    for (const more of [{}, unknown]) {
      await expect(followups.create({ ...past, ...more })).rejects.toMatchObject(invalid('#/due_at'));
      await expect(followups.create({ delay_minutes: 60, expires_at: inHours(-1), ...more })).rejects.toMatchObject(
        invalid('#/expires_at'),
      );
    }
    await expect(followups.create(unknown)).rejects.toMatchObject({ code: 'lead_not_found' });
    const template = { name: 'winter_sale', language: 'en' };
    followups.world.templateFaults = [{ pointer: '#/template/components', detail: 'must have 1 parameter' }];
    await expect(followups.create({ ...unknown, template })).rejects.toMatchObject(invalid('#/template/components'));
    followups.world.templateError = 'template_not_approved';
    await expect(followups.create({ ...unknown, template })).rejects.toMatchObject({ code: 'lead_not_found' });
  });

  test('a request that is repeated with its key gets its answer, although its lead is gone', async () => {
    const body = { lead_id: followups.leadId, message: 'Hello', due_at: inHours(1) };
    const keyed = () =>
      scheduling.rpc.call(
        createFollowup,
        { body },
        testContext({ storeId: followups.storeId, idempotencyKey: 'k', idempotencyScope: 'POST /followups', body }),
      );
    const first = await keyed();
    scheduling.removeLead(followups.leadId);
    expect(await keyed()).toEqual(first);
  });

  test('exactly one of `due_at` and `delay_minutes` is required', async () => {
    const body = { lead_id: followups.leadId, message: 'Hello' };
    const creating = (more: object) => scheduling.rpc.call(createFollowup, { body: { ...body, ...more } }, context());
    await expect(creating({})).rejects.toMatchObject(invalid('#'));
    await expect(creating({ due_at: inHours(1), delay_minutes: 5 })).rejects.toMatchObject({
      members: { errors: [{ pointer: '#/due_at' }, { pointer: '#/delay_minutes' }] },
    });
  });

  test('an unknown lead and one of another store are rejected, and nothing is stored', async () => {
    for (const lead_id of [randomUUID(), scheduling.addLead(randomUUID())]) {
      await expect(followups.create({ lead_id })).rejects.toMatchObject({ code: 'lead_not_found' });
    }
    expect(await list({})).toMatchObject({ data: [], total: 0 });
    expect(await scheduling.wakeUps(followups.storeId)).toEqual([]);
  });

  test('ten concurrent requests with one key create one follow-up', async () => {
    const body = { lead_id: followups.leadId, message: 'Hello', delay_minutes: 60 };
    const idempotent = () =>
      testContext({
        storeId: followups.storeId,
        idempotencyKey: 'k',
        idempotencyScope: 'POST /followups/scheduled',
        body,
      });
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => scheduling.rpc.call(createFollowup, { body }, idempotent())),
    );
    expect(new Set(replies.map(({ id }) => id)).size).toBe(1);
    expect(await list({})).toMatchObject({ total: 1 });
  });
});

describe('cancelling', () => {
  test('a second cancellation is rejected with the status `cancelled`', async () => {
    const { id } = await followups.create();
    expect(await followups.cancel(id)).toEqual({ cancelled: true, id });
    expect(await followups.read(id)).toMatchObject({
      status: 'cancelled',
      cancel_reason: 'api',
      next_attempt_at: null,
    });
    await expect(followups.cancel(id)).rejects.toMatchObject({
      code: 'followup_not_pending',
      members: { current_status: 'cancelled' },
    });
    expect((await scheduling.wakeUps(followups.storeId)).map(({ signal }) => signal)).toEqual([
      'scheduled',
      'cancelled',
    ]);
  });

  test('a repeated cancellation with its Idempotency-Key gets the first answer, and has no second effect', async () => {
    const { storeId } = followups;
    const { id: followupId } = await followups.create();
    const idempotencyScope = `DELETE /followups/scheduled/${followupId}`;
    const cancel = () =>
      scheduling.rpc.forward(
        cancelFollowup,
        { params: { followupId } },
        testContext({ storeId, idempotencyKey: 'k', idempotencyScope }),
      );
    const [first, again] = [await cancel(), await cancel()];
    expect(JSON.parse(Buffer.from(first.body).toString())).toEqual({ cancelled: true, id: followupId });
    expect(again).toEqual({ ...first, headers: { ...first.headers, replayed: true } });
    expect((await scheduling.wakeUps(storeId)).map(({ signal }) => signal)).toEqual(['scheduled', 'cancelled']);
    const [, cancelled, ...more] = await scheduling.feed(storeId);
    const object = await followups.read(followupId);
    expect(cancelled).toMatchObject({ type: 'followup.cancelled', data: { reason: 'api', object } });
    expect(more).toEqual([]);
  });

  test('a follow-up of another store is not found', async () => {
    const { id: followupId } = await followups.create();
    for (const operation of [cancelFollowup, getFollowup]) {
      const asking = scheduling.rpc.call(operation, { params: { followupId } }, context(randomUUID()));
      await expect(asking).rejects.toMatchObject({ code: 'followup_not_found' });
    }
    expect(await followups.read(followupId)).toMatchObject({ status: 'pending' });
  });
});

describe('events of the lead', () => {
  const cancelFor = (cause: Parameters<typeof cancelFollowups>[2]) =>
    scheduling.database.write(context(), (sql) => cancelFollowups(sql, followups.storeId, cause));
  const reasonOf = async (id: string) => (await followups.read(id)).cancel_reason;

  test('a reply cancels follow-ups created before it, except those with `cancel_on_reply: false`', async () => {
    const { leadId } = followups;
    const [early, kept] = [await followups.create(), await followups.create({ cancel_on_reply: false })];
    const createdBefore = new Date(Date.parse(kept.created_at) + 1);
    await scheduling.adminSql`update followups set created_at = ${createdBefore} where id = ${kept.id}`;
    const late = await followups.create();
    await scheduling.adminSql`update followups set created_at = ${createdBefore} where id = ${late.id}`;
    expect(await cancelFor({ leadId, reason: 'lead_replied', createdBefore })).toBe(1);
    expect(await cancelFor({ leadId, reason: 'lead_replied', createdBefore })).toBe(0);
    expect(await Promise.all([early, kept, late].map(({ id }) => reasonOf(id)))).toEqual(['lead_replied', null, null]);
  });

  test('an opt-out cancels all pending follow-ups', async () => {
    const made = [await followups.create(), await followups.create({ cancel_on_reply: false })];
    expect(await cancelFor({ leadId: followups.leadId, reason: 'opted_out' })).toBe(2);
    expect(await Promise.all(made.map(({ id }) => reasonOf(id)))).toEqual(['opted_out', 'opted_out']);
    const cancelled = (await scheduling.feed(followups.storeId)).slice(2);
    expect(new Map(cancelled.map(({ entity_id, data }) => [entity_id, data.object]))).toEqual(
      new Map(await Promise.all(made.map(async ({ id }) => [id, await followups.read(id)] as const))),
    );
  });

  test('a booked appointment cancels follow-ups with `cancel_on_appointment`', async () => {
    const [called, kept] = [await followups.create({ cancel_on_appointment: true }), await followups.create()];
    await scheduling.create(followups.storeId, { lead_id: followups.leadId });
    expect([await reasonOf(called.id), await reasonOf(kept.id)]).toEqual(['appointment_booked', null]);
  });
});

test('a follow-up is dated by the clock in its transaction, so that the order of changes misses none', async () => {
  const { dependencies } = scheduling;
  const moments: Date[] = [];
  const late: Database = {
    ...dependencies.database,
    write: (scope, work) =>
      dependencies.database.write(scope, async (sql) => {
        const [row] = await sql<[{ at: Date }]>`select clock_timestamp() as at from pg_sleep(0.02)`;
        moments.push(row.at);
        return await work(sql);
      }),
  };
  const body = { lead_id: followups.leadId, message: 'Hello', due_at: inHours(1) };
  await createFollowupWith({ ...dependencies, database: late })(context(), { body });
  const [made] = (await list({})).data as [Followup];
  expect(Date.parse(made.updated_at)).toBeGreaterThanOrEqual(Number(moments[0]));
  expect(made.created_at).toBe(made.updated_at);
});

test('the list is filtered, sorted by `due_at` and limited to the store', async () => {
  const [third, first, second] = [
    await followups.create({ due_at: inHours(3) }),
    await followups.create({ due_at: inHours(1) }),
    await followups.create({ due_at: inHours(2) }),
  ];
  await followups.cancel(second.id);
  const ids = async (query: Parameters<typeof list>[0]) => (await list(query)).data.map(({ id }) => id);
  expect(await ids({})).toEqual([first.id, second.id, third.id]);
  expect(await ids({ status: 'cancelled' })).toEqual([second.id]);
  expect(await ids({ status: 'pending,cancelled' })).toEqual([first.id, second.id, third.id]);
  expect(await ids({ status: 'sent,failed' })).toEqual([]);
  expect(await ids({ from: first.due_at, to: third.due_at })).toEqual([first.id, second.id]);
  expect(await ids({ updated_after: third.updated_at })).toEqual([first.id, second.id]);
  expect(await ids({ lead_id: randomUUID() })).toEqual([]);
  expect(await list({ page: 2, limit: 2 })).toMatchObject({ data: [{ id: third.id }], total: 3, page: 2, limit: 2 });
  expect(await list({}, randomUUID())).toMatchObject({ data: [], total: 0 });
});

test('a list by several statuses, by an appointment or by change has its total, and its cursor walks all of it once', async () => {
  const { id: appointment_id } = await scheduling.create(followups.storeId);
  const since = new Date().toISOString();
  const ids: string[] = [];
  for (let n = 0; n < 9; n += 1) {
    const about = n % 2 ? { appointment_id } : {};
    ids.push((await followups.create({ due_at: inHours(1 + (n % 3)), ...about })).id);
  }
  await scheduling.adminSql`update followups set updated_at = now() - interval '1 day' where store_id = ${followups.storeId}`;
  for (const n of [7, 1, 4]) await followups.cancel(ids[n] as string);
  const all = (await list({})).data;
  const isCancelled = ({ status }: Followup) => status === 'cancelled';
  // A list of changes ends before what may be uncommitted.
  const settled = async () => (await list({ sort: 'updated_at' })).total === all.length;
  await waitFor(settled, { description: 'all changes are settled' });
  for (const [query, isExpected] of [
    [{ status: 'pending,cancelled' }, () => true],
    [{ status: 'cancelled,sent' }, isCancelled],
    [
      { status: 'failed,cancelled', appointment_id: appointment_id.toUpperCase() },
      (row) => isCancelled(row) && row.appointment_id,
    ],
    [{ appointment_id }, (row) => row.appointment_id],
    [{ updated_after: since }, isCancelled],
    [{ updated_after: since, status: 'pending,cancelled', lead_id: followups.leadId }, isCancelled],
  ] satisfies [Parameters<typeof list>[0], (row: Followup) => unknown][]) {
    for (const sort of ['due_at', 'updated_at'] as const) await expectWalk({ ...query, sort }, all.filter(isExpected));
  }

  async function expectWalk(query: Parameters<typeof list>[0], rows: readonly Followup[]) {
    const { sort = 'due_at' } = query;
    const expected = [...rows].sort((a, b) => (a[sort] + a.id < b[sort] + b.id ? -1 : 1)).map(({ id }) => id);
    const found: string[] = [];
    for (let cursor: string | undefined, isFirst = true; isFirst || cursor; isFirst = false) {
      const asked = { query: { ...query, limit: 2, ...(cursor ? { cursor } : {}) } };
      const { body, headers } = await scheduling.rpc.forward(listFollowups, asked, context());
      const page = JSON.parse(Buffer.from(body).toString());
      expect(page.total).toBe(expected.length);
      found.push(...page.data.map(({ id }: { id: string }) => id));
      cursor = headers.nextCursor;
    }
    expect(found, JSON.stringify(query)).toEqual(expected);
    expect((await list({ ...query, limit: 2, page: 2 })).data.map(({ id }) => id)).toEqual(expected.slice(2, 4));
  }
});

test('a page of the 200 largest follow-ups fits into one answer', async () => {
  const largest = {
    delay_minutes: 60,
    // Each takes six bytes as JSON.
    message: '\u0001'.repeat(4096),
    template: { name: 'a', language: 'pt', components: [{ text: 'x'.repeat(8 * 1024 - 13) }] },
    // 4 KiB of JSON.
    metadata: Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}`.repeat(n ? 7 : 6), 'x'.repeat(499)])),
  };
  for (let batch = 0; batch < 20; batch++) {
    await Promise.all(Array.from({ length: 10 }, () => followups.create(largest)));
  }
  const page = await list({ limit: 200 });
  expect(page.data).toHaveLength(200);
  expect(JSON.stringify(page).length).toBeGreaterThan(7_000_000);

  const larger = { ...largest, template: { ...largest.template, components: [{ text: 'x'.repeat(8 * 1024 - 12) }] } };
  await expect(followups.create(larger)).rejects.toMatchObject(invalid('#/template/components'));
});

test('a window that does not end after its start is rejected', async () => {
  const windows = [{ weekdays: ['monday' as const], from: '18:00', to: '09:00' }];
  await expect(scheduling.rpc.call(updateSendingWindows, { body: { windows } }, context())).rejects.toMatchObject(
    invalid('#/windows/0/to'),
  );
});

test('a change of the time zone moves follow-ups that wait for a window', async () => {
  const windows = [{ weekdays: ['monday' as const], from: '09:00', to: '18:00' }];
  await scheduling.rpc.call(updateSendingWindows, { body: { windows } }, context());
  // A Sunday.
  const sunday = new Date(Date.now() + ((7 - new Date().getUTCDay()) % 7 || 7) * 86_400_000);
  const { id, next_attempt_at } = await followups.create({ due_at: sunday.toISOString() });
  followups.world.timezone = 'America/Sao_Paulo';
  await scheduling.rpc.call(replanFollowups, {}, context());
  const moved = await followups.read(id);
  expect(Date.parse(String(moved.next_attempt_at)) - Date.parse(String(next_attempt_at))).toBe(3 * 3_600_000);
});

test('the sweep wakes an overdue follow-up at most once in 5 minutes', async () => {
  const { id } = await followups.create();
  const counted = () => countOverdue({ ...overdueFollowups, ...scheduling.dependencies });
  const before = await counted();
  await scheduling.adminSql`update followups set next_attempt_at = now() - interval '1 minute' where id = ${id}`;
  expect(await counted()).toBe(before + 1);
  const sweep = () => wakeOverdue({ ...overdueFollowups, ...scheduling.dependencies }, new AbortController().signal);
  expect(await sweep()).toBe(1);
  expect(await sweep()).toBe(0);
  expect((await scheduling.wakeUps(followups.storeId)).map(({ signal }) => signal)).toEqual(['scheduled', 'overdue']);
});
