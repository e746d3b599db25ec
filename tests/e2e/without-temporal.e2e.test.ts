import { readEvents } from '@mostrador/testing/providers/caldav/read-events';
import { startRadicale } from '@mostrador/testing/providers/caldav/servers';
import { expect, onTestFinished, test } from 'vitest';
import { admin, daysAhead, eventually, newStore, request, temporal } from './platform.ts';

test('appointments are created while Temporal is stopped, and their events appear after its restart', async () => {
  const radicale = await startRadicale();
  onTestFinished(() => radicale.dispose());
  const { id: storeId, key } = await newStore();
  const { collectionUrl, username, password } = radicale;
  const to = ['--provider', 'caldav', '--url', collectionUrl, '--username', username ?? '', '--secrets-stdin'];
  await admin(['calendar', 'connect', '--store', storeId, ...to], JSON.stringify({ password }));
  const sync = async (id: string) => (await request('GET', `/appointments/${id}/calendar-sync`, { key })).body;

  await temporal('stop');
  const body = { title: 'Without Temporal', scheduled_at: daysAhead(15).toISOString() };
  const made = await request('POST', '/appointments', { key, body });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body;
  const moved = daysAhead(16).toISOString();
  const change = { title: 'Without Temporal, moved', scheduled_at: moved };
  expect((await request('PATCH', `/appointments/${id}`, { key, body: change })).status).toBe(200);
  expect(await sync(id)).toMatchObject({ state: 'pending' });
  await temporal('start');
  await eventually(
    () => sync(id),
    ({ state }) => state === 'synced',
  );
  const events = (await readEvents(radicale)).filter(({ uid }) => uid.startsWith(id));
  expect(events.map(({ title, start }) => [title, start])).toEqual([
    ['Without Temporal, moved', `${moved.slice(0, 19)}Z`],
  ]);
});
