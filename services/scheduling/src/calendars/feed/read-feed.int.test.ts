import { randomUUID } from 'node:crypto';
import { connectCalendar, readCalendarFeed, updateAppointment } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import ICAL from 'ical.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inHours, startScheduling, type TestScheduling } from '../../../test/scheduling.ts';

let scheduling: TestScheduling;
beforeAll(async () => {
  scheduling = await startScheduling();
});
afterAll(() => scheduling?.stop());

const connectFeed = async (storeId: string, rotate?: true) => {
  const { feed_url } = await scheduling.rpc.call(
    connectCalendar,
    { body: { provider: 'feed', ...(rotate && { rotate }) } },
    testContext({ storeId }),
  );
  return String(feed_url).split('/').at(-1)?.replace('.ics', '') ?? '';
};
// Like the gateway, this request names no store.
const read = async (token: string) => {
  const { storeId: _none, ...context } = testContext();
  return (await scheduling.rpc.call(readCalendarFeed, { body: { token } }, context)).icalendar;
};
const eventsIn = (icalendar: string) =>
  new ICAL.Component(ICAL.parse(icalendar)).getAllSubcomponents('vevent').map((event) => new ICAL.Event(event));

test('a feed shows the appointments of its store only', async () => {
  const storeId = randomUUID();
  const token = await connectFeed(storeId);
  const scheduled_at = '2027-01-31T06:00:00-03:00';
  const { id } = await scheduling.create(storeId, { title: 'Haircut; wash, ✂️', scheduled_at, duration_minutes: 45 });
  await scheduling.create(randomUUID());

  const [event, ...others] = eventsIn(await read(token));
  expect(others).toEqual([]);
  expect(event?.uid).toBe(`${id}@mostrador`);
  expect(event?.summary).toBe('Haircut; wash, ✂️');
  expect(event?.startDate.toJSDate().toISOString()).toBe('2027-01-31T09:00:00.000Z');
  expect(event?.endDate.toJSDate().toISOString()).toBe('2027-01-31T09:45:00.000Z');
});

test('a feed goes back 90 days and omits cancelled appointments, and a change keeps the UID and raises the sequence', async () => {
  const storeId = randomUUID();
  const token = await connectFeed(storeId);
  await scheduling.create(storeId, { title: 'long ago', scheduled_at: inHours(-91 * 24) });
  await scheduling.create(storeId, { title: 'a while ago', scheduled_at: inHours(-89 * 24) });
  const cancelled = await scheduling.create(storeId, { title: 'cancelled' });
  const moved = await scheduling.create(storeId, { title: 'moved' });
  const patch = (appointmentId: string, body: object) =>
    scheduling.rpc.call(updateAppointment, { params: { appointmentId }, body }, testContext({ storeId }));
  await patch(cancelled.id, { status: 'cancelled' });
  await patch(moved.id, { duration_minutes: 15 });

  const events = eventsIn(await read(token));
  expect(events.map((event) => [event.summary, event.sequence])).toEqual([
    ['a while ago', 0],
    ['moved', 1],
  ]);
  expect(events[1]?.uid).toBe(`${moved.id}@mostrador`);
});

test('the same appointments render to the same bytes', async () => {
  const storeId = randomUUID();
  const token = await connectFeed(storeId);
  await scheduling.create(storeId);
  expect(await read(token)).toBe(await read(token));
});

test('an unknown or replaced address gets `calendar_feed_not_found`', async () => {
  const storeId = randomUUID();
  const first = await connectFeed(storeId);
  const second = await connectFeed(storeId, true);
  const notFound = expect.objectContaining({ code: 'calendar_feed_not_found' });
  await expect(read(first)).rejects.toThrow(notFound);
  await expect(read(second)).resolves.toContain('BEGIN:VCALENDAR');
  await expect(read('')).rejects.toThrow(notFound);
  await expect(read(`${second}x`)).rejects.toThrow(notFound);
});
