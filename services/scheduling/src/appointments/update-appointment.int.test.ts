import { randomUUID } from 'node:crypto';
import { connectCalendar, type RequestOf, updateAppointment } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';

let scheduling: TestScheduling;
beforeAll(async () => {
  scheduling = await startScheduling();
});
afterAll(() => scheduling?.stop());

type Body = RequestOf<typeof updateAppointment>['body'];

const patch = async (storeId: string, appointmentId: string, body: Body, ifMatch?: string) => {
  const context = testContext({ storeId, ifMatch });
  const { rpc } = scheduling;
  const { body: bytes, headers } = await rpc.forward(updateAppointment, { params: { appointmentId }, body }, context);
  return { appointment: JSON.parse(Buffer.from(bytes).toString()), etag: headers.etag };
};
const connectFeed = (storeId: string) =>
  scheduling.rpc.call(connectCalendar, { body: { provider: 'feed' } }, testContext({ storeId }));
const topics = async (storeId: string) => (await scheduling.events(storeId)).map(({ topic }) => topic);

describe('a change', () => {
  test('a patch sets the given members, keeps the others, and raises the version and updated_at', async () => {
    const storeId = randomUUID();
    const created = await scheduling.create(storeId, { notes: 'window seat' });
    const body = { title: 'Shave', scheduled_at: '2027-03-28T01:30:00+01:00', duration_minutes: 30 };
    const { appointment, etag } = await patch(storeId, created.id, body);
    expect(appointment).toEqual({
      ...created,
      ...body,
      scheduled_at: '2027-03-28T00:30:00.000Z',
      updated_at: expect.any(String),
    });
    expect(appointment.updated_at >= created.updated_at).toBe(true);
    expect(etag).toBe('"v2"');
    expect(await topics(storeId)).toEqual(['scheduling.appointment.created', 'scheduling.appointment.updated']);
    expect((await scheduling.feed(storeId)).map(({ type, data }) => [type, data.object])).toEqual([
      ['appointment.created', created],
      ['appointment.updated', appointment],
    ]);
  });

  test('a patch without an effect keeps version and updated_at, and publishes no event', async () => {
    const storeId = randomUUID();
    const created = await scheduling.create(storeId);
    const { appointment, etag } = await patch(storeId, created.id, { title: created.title, notes: null });
    expect(appointment).toEqual(created);
    expect(etag).toBe('"v1"');
    expect(await topics(storeId)).toEqual(['scheduling.appointment.created']);
    expect(await scheduling.feed(storeId)).toHaveLength(1);
  });

  test('a change of metadata raises the version and publishes the event', async () => {
    const storeId = randomUUID();
    const { id } = await scheduling.create(storeId);
    await patch(storeId, id, { metadata: { a: '1', b: '2' } });
    const { appointment, etag } = await patch(storeId, id, { metadata: { a: '3', b: null } });
    expect([appointment.metadata, etag]).toEqual([{ a: '3' }, '"v3"']);
    expect(await topics(storeId)).toHaveLength(3);
    const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`m${n}`, 'x']));
    await expect(patch(storeId, id, { metadata: many })).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: [{ pointer: '#/metadata' }] },
    });
  });

  test('ten concurrent changes are all applied, one after the other', async () => {
    const storeId = randomUUID();
    const { id } = await scheduling.create(storeId);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => patch(storeId, id, { title: `Title ${n}` })),
    );
    const etags = answers.map(({ etag }) => etag).sort();
    expect(etags).toEqual(Array.from({ length: 10 }, (_, n) => `"v${n + 2}"`).sort());
  });

  test('an empty patch and a value that cannot be set are rejected', async () => {
    const storeId = randomUUID();
    const { id } = await scheduling.create(storeId);
    for (const body of [{}, { lead_id: null }, { title: null }, { status: 'lost' }, { notes: '' }]) {
      const refused = patch(storeId, id, body as Body);
      await expect(refused, JSON.stringify(body)).rejects.toMatchObject({ code: 'validation_failed' });
    }
  });

  test('another store’s appointment is not found', async () => {
    const { id } = await scheduling.create(randomUUID());
    await expect(patch(randomUUID(), id, { title: 'x' })).rejects.toMatchObject({ code: 'appointment_not_found' });
  });
});

describe('final states', () => {
  test.each(['done', 'cancelled', 'no_show'] as const)('an appointment that is %s cannot change', async (status) => {
    const storeId = randomUUID();
    const { id } = await scheduling.create(storeId);
    expect((await patch(storeId, id, { status })).appointment.status).toBe(status);
    for (const body of [{ title: 'x' }, { status: 'scheduled' as const }, { status }]) {
      await expect(patch(storeId, id, body)).rejects.toMatchObject({
        code: 'appointment_not_scheduled',
        members: { current_status: status },
      });
    }
  });
});

describe('If-Match', () => {
  test('of two requests with the same version, one succeeds', async () => {
    const storeId = randomUUID();
    const { id } = await scheduling.create(storeId);
    const answers = await Promise.allSettled([
      patch(storeId, id, { title: 'one' }, '"v1"'),
      patch(storeId, id, { title: 'two' }, '"v1"'),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(answers.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'version_mismatch' } });
  });

  test('the current version, a list that contains it, and `*` all match', async () => {
    const storeId = randomUUID();
    const { id } = await scheduling.create(storeId);
    await patch(storeId, id, { title: 'a' }, '"v1"');
    await patch(storeId, id, { title: 'b' }, '"v1", "v2"');
    expect((await patch(storeId, id, { title: 'c' }, '*')).etag).toBe('"v4"');
  });
});

test('a repeated cancellation with its Idempotency-Key gets the first answer, and has no second effect', async () => {
  const storeId = randomUUID();
  await connectFeed(storeId);
  const { id: appointmentId } = await scheduling.create(storeId);
  const body = { status: 'cancelled' } as const;
  const idempotencyScope = `PATCH /appointments/${appointmentId}`;
  const cancel = () =>
    scheduling.rpc.forward(
      updateAppointment,
      { params: { appointmentId }, body },
      testContext({ storeId, body, idempotencyKey: 'k', idempotencyScope, ifMatch: '"v1"' }),
    );
  const [first, again] = [await cancel(), await cancel()];
  expect(JSON.parse(Buffer.from(first.body).toString())).toMatchObject({ id: appointmentId, status: 'cancelled' });
  expect(first.headers).toMatchObject({ etag: '"v2"', replayed: false });
  expect(again).toEqual({ ...first, headers: { ...first.headers, replayed: true } });
  expect((await scheduling.wakeUps(storeId)).map(({ signal }) => signal)).toEqual(['created', 'cancelled']);
  expect(await topics(storeId)).toEqual(['scheduling.appointment.created', 'scheduling.appointment.updated']);
});

describe('the outbox', () => {
  test('without a calendar a change writes no wake-up', async () => {
    const storeId = randomUUID();
    const { id } = await scheduling.create(storeId);
    await patch(storeId, id, { title: 'x' });
    expect(await scheduling.wakeUps(storeId)).toEqual([]);
  });

  test('with a calendar every change is synced, and the signal names the kind of change', async () => {
    const storeId = randomUUID();
    await connectFeed(storeId);
    const lead_id = scheduling.addLead(storeId);
    const { id } = await scheduling.create(storeId, { lead_id });
    await patch(storeId, id, { title: 'x' });
    await patch(storeId, id, { title: 'x' });
    await patch(storeId, id, { status: 'cancelled' });
    expect(await scheduling.wakeUps(storeId)).toEqual(
      ['created', 'changed', 'cancelled'].map((signal) => ({ entity_id: id, lead_id, signal })),
    );
    const [sync] =
      await scheduling.adminSql`select state, desired_version from calendar_syncs where appointment_id = ${id}`;
    expect(sync).toEqual({ state: 'pending', desired_version: 3 });
  });

  test('an appointment older than the calendar connection is synced once it changes', async () => {
    const storeId = randomUUID();
    const { id } = await scheduling.create(storeId, { scheduled_at: '2020-01-01T00:00:00Z' });
    await connectFeed(storeId);
    expect(await scheduling.wakeUps(storeId)).toEqual([]);
    await patch(storeId, id, { scheduled_at: '2027-06-01T00:00:00Z' });
    expect(await scheduling.wakeUps(storeId)).toMatchObject([{ entity_id: id, signal: 'changed' }]);
  });
});
