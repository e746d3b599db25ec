import { readEvents } from '@mostrador/testing/providers/caldav/read-events';
import { startRadicale } from '@mostrador/testing/providers/caldav/servers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { admin, daysAhead, eventually, newStore, request, runAdminHere } from './platform.ts';

type Store = Awaited<ReturnType<typeof newStore>>;
let radicale: Awaited<ReturnType<typeof startRadicale>>;
let store: Store;

/** Arguments and standard input of `calendar connect` to Radicale. */
const connecting = (password: string | undefined, to: Store) =>
  [
    [
      ...['calendar', 'connect', '--store', to.id, '--provider', 'caldav', '--url', radicale.collectionUrl],
      ...['--username', radicale.username ?? '', '--secrets-stdin'],
    ],
    JSON.stringify({ password }),
  ] as const;
const connect = (to = store) => admin(...connecting(radicale.password, to));

beforeAll(async () => {
  radicale = await startRadicale();
  store = await newStore();
});

afterAll(() => radicale?.dispose());

const create = async (body: object) => {
  const answer = await request('POST', '/appointments', { key: store.key, body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body as { id: string };
};
const change = (id: string, body: object) => request('PATCH', `/appointments/${id}`, { key: store.key, body });
const sync = async (id: string) => (await request('GET', `/appointments/${id}/calendar-sync`, { key: store.key })).body;
const untilSynced = (id: string) =>
  eventually(
    () => sync(id),
    ({ state }) => state === 'synced',
  );
const eventOf = async (id: string) => (await readEvents(radicale)).filter(({ uid }) => uid.startsWith(id));
const seconds = (instant: Date) => `${instant.toISOString().slice(0, 19)}Z`;

test('the calendar event has the UTC time of its appointment, moves with it, and is deleted on cancellation', async () => {
  await connect();
  const start = daysAhead(10);
  const local = new Date(start.getTime() - 3 * 3_600_000).toISOString().replace('Z', '-03:00');
  const { id } = await create({
    title: 'Exame de vista 👓',
    scheduled_at: local,
    duration_minutes: 45,
    notes: 'Óculos',
  });
  const synced = await untilSynced(id);
  expect(synced).toMatchObject({ provider: 'caldav', last_error: null, next_attempt_at: null });
  const [event, ...others] = await eventOf(id);
  expect(others).toEqual([]);
  expect(event).toMatchObject({
    uid: synced.event_id,
    start: seconds(start),
    duration_minutes: 45,
    title: 'Exame de vista 👓',
    notes: 'Óculos',
  });

  const moved = new Date(start.getTime() + 24 * 3_600_000);
  await change(id, { scheduled_at: moved.toISOString(), duration_minutes: 30 });
  await untilSynced(id);
  const [after, ...rest] = await eventOf(id);
  expect(rest).toEqual([]);
  expect(after).toMatchObject({ uid: event?.uid, start: seconds(moved), duration_minutes: 30 });
  expect(after?.sequence).toBeGreaterThan(event?.sequence ?? Number.NaN);

  await change(id, { status: 'cancelled' });
  await eventually(
    () => eventOf(id),
    (events) => events.length === 0,
  );
});

test('fifty concurrent requests with one key create one calendar event', async () => {
  await connect();
  const body = { title: 'Only once', scheduled_at: daysAhead(11).toISOString() };
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      request('POST', '/appointments', { key: store.key, body, headers: { 'idempotency-key': 'fifty-at-once' } }),
    ),
  );
  const [id, ...others] = new Set<string>(answers.filter(({ status }) => status === 201).map((made) => made.body.id));
  expect([id, ...others]).toEqual([expect.any(String)]);
  await untilSynced(id ?? '');
  expect((await readEvents(radicale)).filter(({ title }) => title === 'Only once')).toHaveLength(1);
});

test('while the calendar is down the API shows past and next attempts, and the event appears after the outage', async () => {
  await connect();
  await radicale.stop();
  const beforeMs = Date.now();
  const { id } = await create({ title: 'Through the outage', scheduled_at: daysAhead(12).toISOString() });
  const waiting = await eventually(
    () => sync(id),
    // While an attempt runs, its error is not known yet.
    ({ last_error, next_attempt_at }) => last_error && next_attempt_at,
  );
  expect(waiting).toMatchObject({
    state: 'pending',
    last_error: { code: expect.any(String), detail: expect.any(String) },
  });
  expect(Date.parse(waiting.next_attempt_at)).toBeGreaterThan(beforeMs);
  // The event must show this change, which was made during the outage.
  await change(id, { title: 'Through the outage, renamed' });
  await radicale.start();
  await untilSynced(id);
  expect((await eventOf(id)).map(({ title }) => title)).toEqual(['Through the outage, renamed']);
});

test('rejected credentials set the connection to needs_attention, and a new connection syncs the event', async () => {
  await connect();
  await radicale.changePassword('another');
  const { id } = await create({ title: 'Needs a person', scheduled_at: daysAhead(13).toISOString() });
  const stuck = await eventually(
    () => sync(id),
    ({ state }) => state === 'needs_attention',
  );
  expect(stuck.next_attempt_at).toBeNull();
  expect((await request('GET', '/store', { key: store.key })).body.calendar.status).toBe('needs_attention');
  expect(await admin(['calendar', 'show', '--store', store.id])).toMatchObject({ status: 'needs_attention' });
  expect((await connect()).status).toBe('connected');
  await untilSynced(id);
  expect(await eventOf(id)).toHaveLength(1);
  expect((await request('GET', '/store', { key: store.key })).body.calendar.status).toBe('connected');
});

test('a rejected password fails the connect command and keeps the existing connection', async () => {
  await connect();
  const refused = await runAdminHere(...connecting('wrong', store));
  expect([refused.exitCode, refused.err]).toEqual([1, expect.stringContaining('(calendar_refused)')]);
  expect(refused.err).not.toContain('wrong');
  expect(await admin(['calendar', 'show', '--store', store.id])).toMatchObject({
    provider: 'caldav',
    status: 'connected',
  });
});

test('a new connection syncs future appointments and no past ones', async () => {
  const own = await newStore();
  const make = async (title: string, at: string) =>
    (await request('POST', '/appointments', { key: own.key, body: { title, scheduled_at: at } })).body.id as string;
  const past = await make('Long ago', '2020-01-01T09:00:00Z');
  const coming = await make('Yet to come', daysAhead(14).toISOString());
  expect(await connect(own)).toMatchObject({ appointments_to_sync: 1 });
  const seen = await eventually(
    () => eventOf(coming),
    (events) => events.length === 1,
  );
  expect(seen[0]?.title).toBe('Yet to come');
  expect(await eventOf(past)).toEqual([]);
});
