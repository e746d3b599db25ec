import { randomUUID } from 'node:crypto';
import { type Appointment, connectCalendar, createAppointment, getCalendarSync } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { testContext } from '@mostrador/testing/context';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, inHours, startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { writeAppointments } from './create-appointment.ts';

let scheduling: TestScheduling;
beforeAll(async () => {
  scheduling = await startScheduling();
});
afterAll(() => scheduling?.stop());

const post = async (body: object, options: Parameters<typeof testContext>[0] = {}) => {
  const context = testContext({ body, idempotencyScope: 'POST /appointments', ...options });
  const { body: bytes, headers } = await scheduling.rpc.forward(createAppointment, { body: body as never }, context);
  return { text: Buffer.from(bytes).toString(), appointment: JSON.parse(Buffer.from(bytes).toString()), headers };
};
const connectFeed = (storeId: string) =>
  scheduling.rpc.call(connectCalendar, { body: { provider: 'feed' } }, testContext({ storeId }));
const rowsOf = (storeId: string) => scheduling.adminSql`select * from appointments where store_id = ${storeId}`;

describe('the row and the response', () => {
  test('the response has the specified fields with their defaults, instants in UTC and a version', async () => {
    const storeId = randomUUID();
    const body = { title: ' Haircut ', scheduled_at: '2027-01-31T06:00:00.1239-03:00' };
    const { appointment, headers } = await post(body, { storeId });
    expect(appointment).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      store_id: storeId,
      lead_id: null,
      title: 'Haircut',
      scheduled_at: '2027-01-31T09:00:00.123Z',
      duration_minutes: 60,
      status: 'scheduled',
      notes: null,
      metadata: {},
      seller_id: null,
      service_id: null,
      confirmed_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: appointment.created_at,
    });
    expect(headers.etag).toBe('"v1"');
    expect(await rowsOf(storeId)).toMatchObject([{ id: appointment.id, version: 1, duration_minutes: 60 }]);
  });

  test('every optional field and a date in the past are accepted', async () => {
    const storeId = randomUUID();
    const lead_id = scheduling.addLead(storeId);
    const rest = { duration_minutes: 1440, notes: 'a\nb', lead_id, metadata: { booking: ' B-1 ', 'ü "': '\u0001' } };
    const body = { title: '✂️', scheduled_at: '2001-02-03T04:05:06Z', ...rest };
    const { appointment } = await post(body, { storeId });
    expect(appointment).toMatchObject({ ...body, scheduled_at: '2001-02-03T04:05:06.000Z' });
  });

  test('text columns and the API count length in characters, not in UTF-16 code units', async () => {
    const storeId = randomUUID();
    const body = bodyOf({ title: '💈'.repeat(200), notes: '💈'.repeat(5000) });
    const { appointment } = await post(body, { storeId });
    expect(appointment).toMatchObject({ title: body.title, notes: body.notes });
  });

  test('metadata has the rules of a lead’s, within 8 KiB', async () => {
    const storeId = randomUUID();
    const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [n, 'x'.repeat(450)]));
    const { appointment } = await post({ ...bodyOf(), metadata: { a: '', b: null, c: 'x' } }, { storeId });
    expect(appointment).toMatchObject({ metadata: { c: 'x' } });
    expect((await post({ ...bodyOf(), metadata: null }, { storeId })).appointment).toMatchObject({ metadata: {} });
    await post({ ...bodyOf(), metadata: texts(17) }, { storeId });
    for (const metadata of [texts(18), { a: 1 }, { a: '\0' }, 'x', []]) {
      await expect(post({ ...bodyOf(), metadata }, { storeId })).rejects.toMatchObject({
        code: 'validation_failed',
        members: { errors: [{ pointer: expect.stringContaining('#/metadata') }] },
      });
    }
    expect(await rowsOf(storeId)).toHaveLength(3);
    const events = JSON.stringify(await scheduling.events(storeId));
    expect(events).not.toContain('metadata');
  });

  test('an invalid request is rejected with all of its faults and stores nothing', async () => {
    const storeId = randomUUID();
    const body = { title: '', scheduled_at: '2027-02-31T00:00:00Z', duration_minutes: 0, color: 'red' };
    await expect(post(body, { storeId, idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'validation_failed',
      members: {
        errors: expect.arrayContaining(
          ['#/title', '#/scheduled_at', '#/duration_minutes', '#/color'].map((pointer) =>
            expect.objectContaining({ pointer }),
          ),
        ),
      },
    });
    expect(await rowsOf(storeId)).toEqual([]);
  });
});

describe('the lead', () => {
  test('an unknown lead gets 404 and stores nothing', async () => {
    const storeId = randomUUID();
    await expect(post(bodyOf({ lead_id: randomUUID() }), { storeId })).rejects.toMatchObject({
      code: 'lead_not_found',
    });
    expect(await rowsOf(storeId)).toEqual([]);
    expect(await scheduling.events(storeId)).toEqual([]);
    expect(await scheduling.feed(storeId)).toEqual([]);
  });

  test('a lead of another store gets 404', async () => {
    const lead_id = scheduling.addLead(randomUUID());
    await expect(post(bodyOf({ lead_id }))).rejects.toMatchObject({ code: 'lead_not_found' });
  });
});

test('the feed has the appointment as the API shows it, once for a repeated request', async () => {
  const storeId = randomUUID();
  const lead_id = scheduling.addLead(storeId);
  const body = bodyOf({ lead_id, notes: 'window seat', metadata: { booking: 'B-1' } });
  const { appointment } = await post(body, { storeId, idempotencyKey: 'k' });
  expect((await post(body, { storeId, idempotencyKey: 'k' })).headers.replayed).toBe(true);
  const { id: appointment_id, scheduled_at, status } = appointment;
  expect(await scheduling.feed(storeId)).toEqual([
    {
      type: 'appointment.created',
      entity_id: appointment_id,
      data: { appointment_id, lead_id, scheduled_at, status, object: appointment },
    },
  ]);
});

describe('the outbox', () => {
  test('without a calendar a creation writes the event and no wake-up', async () => {
    const storeId = randomUUID();
    const { appointment } = await post(bodyOf(), { storeId });
    expect(await scheduling.wakeUps(storeId)).toEqual([]);
    expect(await scheduling.events(storeId)).toEqual([
      {
        topic: 'scheduling.appointment.created',
        data: {
          appointment_id: appointment.id,
          lead_id: null,
          scheduled_at: appointment.scheduled_at,
          status: 'scheduled',
        },
      },
    ]);
  });

  test('with a calendar a creation writes a wake-up and a pending sync, also for a past date', async () => {
    const storeId = randomUUID();
    await connectFeed(storeId);
    const lead_id = scheduling.addLead(storeId);
    const { appointment } = await post(bodyOf({ lead_id, scheduled_at: inHours(-48) }), { storeId });
    expect(await scheduling.wakeUps(storeId)).toEqual([{ entity_id: appointment.id, lead_id, signal: 'created' }]);
    const params = { appointmentId: appointment.id };
    expect(await scheduling.rpc.call(getCalendarSync, { params }, testContext({ storeId }))).toMatchObject({
      state: 'pending',
      provider: 'feed',
      attempts: 0,
      next_attempt_at: expect.any(String),
    });
  });

  test('an appointment created while the calendar is being connected is synced', async () => {
    const storeId = randomUUID();
    const work: Promise<unknown>[] = [];
    for (let round = 0; round < 4; round += 1) {
      for (let count = 0; count < 8; count += 1) work.push(post(bodyOf(), { storeId }));
      work.push(connectFeed(storeId));
    }
    await Promise.all(work);
    const missed = await scheduling.adminSql`
      select a.id from appointments a
      left join calendar_syncs s on s.appointment_id = a.id
      left join calendar_connections c on c.id = s.connection_id and c.disconnected_at is null
      where a.store_id = ${storeId} and c.id is null`;
    expect(missed).toEqual([]);
    expect(await rowsOf(storeId)).toHaveLength(32);
  });
});

describe('Idempotency-Key', () => {
  test('50 concurrent requests with one key create one row, one event and one wake-up, and 49 get a byte-identical replay', async () => {
    const storeId = randomUUID();
    await connectFeed(storeId);
    const body = bodyOf();
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post(body, { storeId, idempotencyKey: 'fifty' })),
    );
    expect(answers.filter(({ headers }) => headers.replayed)).toHaveLength(49);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(new Set(answers.map(({ headers }) => headers.etag))).toEqual(new Set(['"v1"']));
    expect(await rowsOf(storeId)).toHaveLength(1);
    expect(await scheduling.events(storeId)).toHaveLength(1);
    expect(await scheduling.wakeUps(storeId)).toHaveLength(1);
  });

  test('a replay is the original response, even after the appointment has changed', async () => {
    const storeId = randomUUID();
    const body = bodyOf();
    const original = await post(body, { storeId, idempotencyKey: 'k' });
    await scheduling.adminSql`update appointments set title = 'Shave', version = 2 where store_id = ${storeId}`;
    const again = await post(body, { storeId, idempotencyKey: 'k' });
    expect(again.text).toBe(original.text);
    expect(again.headers).toMatchObject({ replayed: true, etag: '"v1"' });
  });

  test('a different body with the same key is rejected', async () => {
    const storeId = randomUUID();
    await post(bodyOf(), { storeId, idempotencyKey: 'k' });
    const other = post(bodyOf({ title: 'Shave' }), { storeId, idempotencyKey: 'k' });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    expect(await rowsOf(storeId)).toHaveLength(1);
  });

  test('a rejected request leaves no record: it can be corrected and sent again with its key', async () => {
    const storeId = randomUUID();
    const refused = post(bodyOf({ lead_id: randomUUID() }), { storeId, idempotencyKey: 'k' });
    await expect(refused).rejects.toMatchObject({ code: 'lead_not_found' });
    const mended = await post(bodyOf({ lead_id: scheduling.addLead(storeId) }), { storeId, idempotencyKey: 'k' });
    expect(mended.headers.replayed).toBe(false);
  });

  test('a key is known before the lead is: another body is rejected, and the same gets its answer', async () => {
    const storeId = randomUUID();
    const lead_id = scheduling.addLead(storeId);
    const body = bodyOf({ lead_id });
    const first = await post(body, { storeId, idempotencyKey: 'k' });
    const other = post({ ...body, lead_id: randomUUID() }, { storeId, idempotencyKey: 'k' });
    await expect(other).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    scheduling.removeLead(lead_id);
    const again = await post(body, { storeId, idempotencyKey: 'k' });
    expect([again.text, again.headers.replayed]).toEqual([first.text, true]);
    await expect(post(body, { storeId, idempotencyKey: 'other' })).rejects.toMatchObject({ code: 'lead_not_found' });
    expect(await rowsOf(storeId)).toHaveLength(1);
  });

  test('the same key in another store is a different key', async () => {
    const body = bodyOf();
    const answers: { appointment: Appointment }[] = [];
    for (const storeId of [randomUUID(), randomUUID()]) {
      answers.push(await post(body, { storeId, idempotencyKey: 'shared' }));
    }
    expect(answers[0]?.appointment.id).not.toBe(answers[1]?.appointment.id);
  });
});

// The last test, because it stops crm.
test('while crm is down an appointment with a lead gets `service_unavailable`, and one without a lead is created', async () => {
  const storeId = randomUUID();
  const lead_id = scheduling.addLead(storeId);
  const body = bodyOf({ lead_id });
  const first = await post(body, { storeId, idempotencyKey: 'k' });
  await scheduling.stopCrm();
  for (const options of [{ storeId }, { storeId, idempotencyKey: 'new' }]) {
    await expect(post(body, options)).rejects.toMatchObject({ code: 'service_unavailable' });
  }
  expect((await post(body, { storeId, idempotencyKey: 'k' })).text).toBe(first.text);
  await expect(post(bodyOf(), { storeId })).resolves.toBeDefined();
  expect(await rowsOf(storeId)).toHaveLength(2);
});

test('appointments of several leads lock their follow-ups in one order, so that no two transactions wait for each other', async () => {
  const { adminSql, database } = scheduling;
  const storeId = randomUUID();
  const [low, high] = [randomUUID(), randomUUID()].toSorted() as [string, string];
  await adminSql`
    insert into followups (store_id, lead_id, message, due_at, next_attempt_at, cancel_on_reply, cancel_on_appointment)
    select ${storeId}, unnest(${[low, high]}::uuid[]), 'x', now() + interval '1 day', now() + interval '1 day', true, true`;
  const lock = (sql: TransactionSql, leadId: string) => sql`
    select id from followups where store_id = ${storeId} and lead_id = ${leadId} for no key update skip locked`;
  const appointmentOf = (lead_id: string) => {
    const { title, duration_minutes } = { title: 'Haircut', duration_minutes: 60 };
    return { lead_id, title, duration_minutes, scheduled_at: new Date(), notes: null, metadata: {} };
  };
  const origin = { actor: null, requestId: null };
  const scope = { storeId, deadline: Date.now() + 300_000 };
  const { writing, free } = await database.write(scope, async (sql) => {
    await lock(sql, low);
    const writing = database.write(scope, (own) =>
      writeAppointments(own, storeId, [appointmentOf(high), appointmentOf(low)], [origin, origin]),
    );
    const waits = () => adminSql`
      select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and query like '%followups%'`;
    await waitFor(async () => (await waits()).length > 0, { description: 'the other transaction to wait' });
    // In an object, because this transaction must not wait for the other one.
    return { writing, free: await lock(sql, high) };
  });
  expect(free).toHaveLength(1);
  expect(await writing).toHaveLength(2);
});
