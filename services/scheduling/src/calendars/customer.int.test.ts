import { randomUUID } from 'node:crypto';
import {
  connectCalendar,
  getCalendarSync,
  readCalendarFeed,
  showCalendar,
  syncCalendarEvent,
  updateAppointment,
  updateCalendarSettings,
} from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import ICAL from 'ical.js';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { startScheduling, type TestScheduling } from '../../test/scheduling.ts';
import { type ScriptedCalendar, scriptedCalendar } from '../../test/scripted-calendar.ts';

let scheduling: TestScheduling;
let calendar: ScriptedCalendar;
let storeId: string;
beforeAll(async () => {
  scheduling = await startScheduling({ openProvider: (connection) => calendar.open(connection) });
});
beforeEach(() => {
  calendar = scriptedCalendar();
  storeId = randomUUID();
});
afterAll(() => scheduling?.stop());

const connect = (provider: 'caldav' | 'feed') =>
  scheduling.rpc.call(
    connectCalendar,
    { body: { provider, ...(provider === 'caldav' ? { url: 'https://dav.example.com/store/' } : {}) } },
    testContext({ storeId }),
  );
const show = (show_customer: boolean) =>
  scheduling.rpc.call(updateCalendarSettings, { body: { show_customer } }, testContext({ storeId }));
const step = (appointment_id: string) =>
  scheduling.rpc.call(syncCalendarEvent, { body: { appointment_id } }, testContext({ storeId }));
const patch = (appointmentId: string, body: object) =>
  scheduling.rpc.call(updateAppointment, { params: { appointmentId }, body }, testContext({ storeId }));
const eventOf = (id: string) => {
  const { title, notes } = calendar.events.get(`${id}@mostrador`) ?? {};
  return { title, notes };
};

test('an event shows the customer only when the store wishes, from its next sync on', async () => {
  await connect('caldav');
  const lead_id = scheduling.addLead(storeId, 'Ana Silva');
  const { id } = await scheduling.create(storeId, { title: 'Eye test', notes: 'window seat', lead_id });
  await step(id);
  expect(eventOf(id)).toEqual({ title: 'Eye test', notes: 'window seat' });

  expect(await show(true)).toEqual({ show_customer: true });
  await patch(id, { duration_minutes: 30 });
  await step(id);
  const shown = { title: 'Eye test · Ana Silva', notes: 'Ana Silva\n+5511961234567\n\nwindow seat' };
  expect(eventOf(id)).toEqual(shown);

  await patch(id, { notes: null });
  await step(id);
  expect(eventOf(id)).toEqual({ ...shown, notes: 'Ana Silva\n+5511961234567' });

  await show(false);
  await patch(id, { duration_minutes: 45 });
  await step(id);
  expect(eventOf(id)).toEqual({ title: 'Eye test', notes: null });
});

test('to connect the calendar again writes all future events by the setting', async () => {
  await connect('caldav');
  const { id } = await scheduling.create(storeId, { lead_id: scheduling.addLead(storeId) });
  await step(id);
  await show(true);
  await connect('caldav');
  await step(id);
  expect(eventOf(id).title).toBe('Haircut · Maria');
});

test('an appointment without a lead, and one whose lead is gone, show no customer', async () => {
  await connect('caldav');
  await show(true);
  const [none, gone] = [
    await scheduling.create(storeId),
    await scheduling.create(storeId, { lead_id: scheduling.addLead(storeId) }),
  ];
  scheduling.removeLead(gone.lead_id as string);
  for (const { id } of [none, gone]) {
    await step(id);
    expect(eventOf(id)).toEqual({ title: 'Haircut', notes: null });
  }
});

test('a long name is cut, and a setting of another store changes nothing', async () => {
  await connect('caldav');
  const create = () => scheduling.create(storeId, { lead_id: scheduling.addLead(storeId, '💈'.repeat(61)) });
  const plain = await create();
  await scheduling.rpc.call(updateCalendarSettings, { body: { show_customer: true } }, testContext());
  await step(plain.id);
  expect(eventOf(plain.id).title).toBe('Haircut');
  await show(true);
  const { id } = await create();
  await step(id);
  expect(eventOf(id).title).toBe(`Haircut · ${'💈'.repeat(60)}`);
});

test('nothing of the customer is stored, sent to a workflow or published', async () => {
  await connect('caldav');
  await show(true);
  const { id } = await scheduling.create(storeId, { lead_id: scheduling.addLead(storeId, 'Zuleica Secret') });
  const answer = await step(id);
  const rows = [
    await scheduling.adminSql`select row_to_json(t) from calendar_syncs t where store_id = ${storeId}`,
    await scheduling.adminSql`select row_to_json(t) from outbox t where store_id = ${storeId}`,
    await scheduling.adminSql`select row_to_json(t) from appointments t where store_id = ${storeId}`,
  ];
  expect(eventOf(id).title).toContain('Zuleica');
  expect(JSON.stringify([answer, rows])).not.toMatch(/Zuleica|5511961234567/);
});

test('a feed shows the customers of its store, by the setting of the moment', async () => {
  const { feed_url } = await connect('feed');
  const token = String(feed_url).split('/').at(-1)?.replace('.ics', '') ?? '';
  const { storeId: _none, ...context } = testContext();
  const events = async () => {
    const { icalendar } = await scheduling.rpc.call(readCalendarFeed, { body: { token } }, context);
    return new ICAL.Component(ICAL.parse(icalendar)).getAllSubcomponents('vevent').map((component) => {
      const { summary, description } = new ICAL.Event(component);
      return { summary, description };
    });
  };
  await scheduling.create(storeId, { title: 'Eye; test', lead_id: scheduling.addLead(storeId, 'Ana, Silva') });
  expect(await events()).toEqual([{ summary: 'Eye; test', description: null }]);
  await show(true);
  const shown = { summary: 'Eye; test · Ana, Silva', description: 'Ana, Silva\n+5511961234567' };
  expect(await events()).toEqual([shown]);
  expect(await scheduling.rpc.call(showCalendar, {}, testContext({ storeId }))).toMatchObject({
    provider: 'feed',
    show_customer: true,
  });
});

// The last test, because it ends the stand-in of crm.
test('while crm does not answer, the event waits for the next attempt, and one without a lead does not', async () => {
  await connect('caldav');
  await show(true);
  const { id } = await scheduling.create(storeId, { lead_id: scheduling.addLead(storeId) });
  const { id: without } = await scheduling.create(storeId);
  await scheduling.stopCrm();
  expect(await step(id)).toMatchObject({ done: false });
  const params = { appointmentId: id };
  expect(await scheduling.rpc.call(getCalendarSync, { params }, testContext({ storeId }))).toMatchObject({
    state: 'pending',
    attempts: 1,
    last_error: { code: 'customer_unavailable' },
    reason: null,
  });
  expect(eventOf(id)).toEqual({ title: undefined, notes: undefined });
  expect(await step(without)).toMatchObject({ done: true });

  await show(false);
  await scheduling.adminSql`update calendar_syncs set next_attempt_at = now() - interval '1 second' where appointment_id = ${id}`;
  expect(await step(id)).toMatchObject({ done: true });
  expect(eventOf(id).title).toBe('Haircut');
});
