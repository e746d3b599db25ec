import { randomUUID } from 'node:crypto';
import { connectCalendar, disconnectCalendar, readCalendarFeed, syncCalendarEvent } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';

let scheduling: TestScheduling;
beforeAll(async () => {
  scheduling = await startScheduling();
});
afterAll(() => scheduling?.stop());

const disconnect = (storeId: string) => scheduling.rpc.call(disconnectCalendar, {}, testContext({ storeId }));

test('a disconnect without a calendar gets `calendar_not_connected`', async () => {
  await expect(disconnect(randomUUID())).rejects.toMatchObject({ code: 'calendar_not_connected' });
});

test('a disconnect deletes the credentials, the feed’s address and every unfinished sync', async () => {
  const storeId = randomUUID();
  const context = () => testContext({ storeId });
  const connected = await scheduling.rpc.call(connectCalendar, { body: { provider: 'feed' } }, context());
  const { id } = await scheduling.create(storeId);
  await scheduling.adminSql`delete from outbox`;

  expect(await disconnect(storeId)).toEqual({ done: true });
  expect(
    await scheduling.adminSql`
    select sealed_credentials, feed_token_hash from calendar_connections where store_id = ${storeId}
  `,
  ).toEqual([{ sealed_credentials: null, feed_token_hash: null }]);
  const token = connected.feed_url?.split('/').at(-1)?.replace('.ics', '') ?? '';
  const feed = scheduling.rpc.call(readCalendarFeed, { body: { token } }, testContext());
  await expect(feed).rejects.toMatchObject({ code: 'calendar_feed_not_found' });

  // Its workflow may have waited for a signal. It reads the row and ends.
  expect(await scheduling.wakeUps(storeId)).toMatchObject([{ entity_id: id, signal: 'calendar_disconnected' }]);
  // The address works again when the feed is connected again.
  await scheduling.rpc.call(connectCalendar, { body: { provider: 'feed' } }, context());
  expect((await scheduling.rpc.call(readCalendarFeed, { body: { token } }, testContext())).icalendar).toContain(id);
  await disconnect(storeId);

  const step = await scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id: id } }, context());
  expect(step.done).toBe(true);
  await expect(disconnect(storeId)).rejects.toMatchObject({ code: 'calendar_not_connected' });
});

test('another store’s calendar stays connected', async () => {
  const [storeId, otherId] = [randomUUID(), randomUUID()];
  for (const id of [storeId, otherId]) {
    await scheduling.rpc.call(connectCalendar, { body: { provider: 'feed' } }, testContext({ storeId: id }));
  }
  await disconnect(storeId);
  await expect(disconnect(otherId)).resolves.toEqual({ done: true });
});
