import ICAL from 'ical.js';
import { expect, test } from 'vitest';
import { addresses, admin, daysAhead, eventually, newStore, request } from './platform.ts';

/** Reads the events of a feed with an independent library. */
async function subscribe(url: string) {
  const response = await fetch(url);
  const calendar = new ICAL.Component(ICAL.parse(await response.text()));
  const events = calendar.getAllSubcomponents('vevent').map((component) => new ICAL.Event(component));
  return { response, events };
}

const described = ({ uid, summary, sequence, startDate, endDate }: ICAL.Event) => {
  const start = startDate.toJSDate();
  return { uid, summary, sequence, start, minutes: (endDate.toJSDate().getTime() - start.getTime()) / 60_000 };
};

test('a feed shows every appointment and its changes, and no cancelled appointment', async () => {
  const store = await newStore();
  const { feed_url } = await admin(['calendar', 'connect', '--store', store.id, '--provider', 'feed']);
  const title = 'Exame; lentes, ção\nsegunda linha 👓 '.repeat(3).trim();
  const start = daysAhead(2);
  const { body } = await request('POST', '/appointments', {
    key: store.key,
    body: { title, scheduled_at: start.toISOString(), duration_minutes: 45, notes: 'Trazer os óculos' },
  });
  const synced = await eventually(
    () => request('GET', `/appointments/${body.id}/calendar-sync`, { key: store.key }),
    (answer) => answer.body.state === 'synced',
  );
  expect(synced.body).toMatchObject({ provider: 'feed', last_error: null, next_attempt_at: null });

  const first = await subscribe(feed_url);
  expect(first.response.headers.get('content-type')).toBe('text/calendar; charset=utf-8');
  const seen = first.events.map(described);
  expect(seen).toEqual([
    { uid: synced.body.event_id, summary: title, start, minutes: 45, sequence: expect.any(Number) },
  ]);

  const etag = first.response.headers.get('etag') ?? '';
  expect((await fetch(feed_url, { headers: { 'if-none-match': etag } })).status).toBe(304);

  const moved = new Date(start.getTime() + 3_600_000);
  const change = (sent: object) => request('PATCH', `/appointments/${body.id}`, { key: store.key, body: sent });
  await change({ scheduled_at: moved.toISOString() });
  const [after, ...others] = (await subscribe(feed_url)).events.map(described);
  expect(others).toEqual([]);
  expect(after).toMatchObject({ uid: synced.body.event_id, start: moved });
  expect(after?.sequence).toBeGreaterThan(seen[0]?.sequence ?? Number.NaN);

  await change({ status: 'cancelled' });
  expect((await subscribe(feed_url)).events).toEqual([]);
});

test('a feed keeps its address when it is connected again, and --rotate replaces it', async () => {
  const store = await newStore();
  const connect = (...more: string[]) =>
    admin(['calendar', 'connect', '--store', store.id, '--provider', 'feed', ...more]);
  const old = await connect();
  expect(await connect()).toMatchObject({ feed_url: old.feed_url });
  const now = await connect('--rotate');
  expect(now.feed_url).not.toBe(old.feed_url);
  expect((await fetch(old.feed_url)).status).toBe(404);
  expect((await fetch(now.feed_url)).status).toBe(200);
});

test("the demo store's feed has events", async () => {
  const { events } = await subscribe(addresses.feed_url);
  expect(events.length).toBeGreaterThan(5);
});
