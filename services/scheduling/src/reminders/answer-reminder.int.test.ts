import type { BookingReminder, Followup } from '@mostrador/contracts';
import { listAppointments } from '@mostrador/contracts';
import { wakeOverdue } from '@mostrador/kit/step/overdue';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asking, soon, soonAt, startReminders, type TestReminders } from '../../test/reminders.ts';
import { unansweredReminders } from './find-answers.ts';
import { takeUnanswered } from './reminder.repository.ts';

let reminders: TestReminders;
beforeAll(async () => {
  reminders = await startReminders();
});
afterAll(() => reminders?.stop());

let storeId: string;
let lead_id: string;
beforeEach(async () => {
  ({ storeId, lead_id } = await reminders.reminding([asking], { overlap: 'reject', capacity: 5 }));
});

/** An appointment whose reminder of the day before was sent. */
async function reminded(start = soonAt(48)) {
  const appointment = await reminders.book(storeId, start, { lead_id });
  const [reminder] = await reminders.remindersOf(storeId, appointment.id);
  await reminders.send(storeId, reminder as Followup);
  return appointment;
}
const say = (text: string, at?: Date) => reminders.say(storeId, lead_id, text, at);
const stateOf = async ({ id }: { id: string }) => {
  const { status, confirmed_at } = await reminders.read(storeId, id);
  return confirmed_at ? `${status} and confirmed` : status;
};
const rulesWith = (reminder: BookingReminder, more: object = {}) =>
  reminders.rules(storeId, { overlap: 'reject', capacity: 5, reminders: [reminder], ...more });
const factsOf = async (id: string) =>
  (await reminders.feed(storeId)).filter(({ entity_id, type }) => entity_id === id && type !== 'appointment.created');

test('the word confirms the appointment once, also when the event is repeated', async () => {
  const appointment = await reminded();
  const tellAgain = await say('1');
  const { confirmed_at, updated_at } = await reminders.read(storeId, appointment.id);
  expect(Date.now() - Date.parse(confirmed_at ?? '')).toBeLessThan(60_000);
  await Promise.all([tellAgain(), tellAgain(), say('1')]);
  expect(await reminders.read(storeId, appointment.id)).toMatchObject({
    confirmed_at,
    updated_at,
    status: 'scheduled',
  });
  const facts = await factsOf(appointment.id);
  expect(facts.map(({ type }) => type)).toEqual(['appointment.updated', 'appointment.confirmed']);
  expect(facts[1]).toMatchObject({ data: { source: 'customer', object: { confirmed_at } } });
});

test('of many answers at once one confirms', async () => {
  const appointment = await reminded();
  await Promise.all(Array.from({ length: 8 }, () => say('1')));
  expect((await factsOf(appointment.id)).map(({ type }) => type)).toEqual([
    'appointment.updated',
    'appointment.confirmed',
  ]);
});

test('the other word cancels it as the API does: its place is free, its reminders end, and the source is the customer', async () => {
  await reminders.rules(storeId, { overlap: 'reject', capacity: 5, reminders: [asking, soon] });
  const appointment = await reminded();
  expect(await reminders.taken(storeId)).toHaveLength(1);
  const tellAgain = await say('2');
  await tellAgain();
  expect(await stateOf(appointment)).toBe('cancelled');
  expect(await reminders.taken(storeId)).toEqual([]);
  expect((await reminders.remindersOf(storeId, appointment.id)).map((each) => each.cancel_reason)).toEqual([
    null,
    'appointment_closed',
  ]);
  const facts = await factsOf(appointment.id);
  expect(facts.map(({ type }) => type)).toEqual(['appointment.updated', 'appointment.cancelled']);
  expect(facts[1]).toMatchObject({ data: { source: 'customer' } });
});

test.each<[string, () => Promise<unknown>]>([
  ['another text', () => say('1 please')],
  ['a word that was sent before the reminder', () => say('1', new Date(Date.now() - 60_000))],
  ['a word of another lead', () => reminders.say(storeId, reminders.addLead(storeId), '1')],
])('%s changes nothing', async (_, tell) => {
  const appointment = await reminded();
  await tell();
  expect(await stateOf(appointment)).toBe('scheduled');
});

describe('an answer of which no notice came', () => {
  const sweep = () => wakeOverdue({ ...unansweredReminders, ...reminders.dependencies }, new AbortController().signal);
  const checkOf = async (id: string) => {
    const [row] = await reminders.adminSql<{ at: Date | null; next: number }[]>`
      select answer_check_at as at, extract(epoch from answer_check_at - now())::float8 as next
      from followups where appointment_id = ${id}`;
    return row;
  };
  /** Lets the reminder of the appointment be as old as this, and due to be looked at. */
  const age = (id: string, minutes: number) => reminders.adminSql`
    update followups set answer_check_at = now() - interval '1 second',
      first_attempt_at = now() - ${minutes} * interval '1 minute' where appointment_id = ${id}`;

  test('is found by the sweep, in the order of the messages, once', async () => {
    const appointment = await reminded();
    for (const text of ['what?', '1', '2']) reminders.write(lead_id, text);
    const [reminder] = await reminders.remindersOf(storeId, appointment.id);
    await sweep();
    expect((await reminders.wakeUps(storeId)).filter(({ signal }) => signal === 'overdue')).toEqual([]);
    await age(appointment.id, 15);
    await sweep();
    expect((await reminders.wakeUps(storeId)).at(-1)).toMatchObject({ entity_id: reminder?.id, signal: 'overdue' });
    expect((await checkOf(appointment.id))?.next).toBeCloseTo(15 * 60, -1);
    for (const _ of [1, 2])
      expect(await reminders.step(storeId, reminder?.id as string)).toMatchObject({ done: true, reason: 'sent' });
    expect(await stateOf(appointment)).toBe('scheduled and confirmed');
    expect((await factsOf(appointment.id)).map(({ type }) => type)).toEqual([
      'appointment.updated',
      'appointment.confirmed',
    ]);
    await age(appointment.id, 30);
    // The confirmation came after the question.
    await reminders.adminSql`update appointments set confirmed_at = now() where id = ${appointment.id}`;
    await sweep();
    expect((await checkOf(appointment.id))?.at).toBeNull();
  });

  test('is looked for 15 minutes before the beginning, although the age has not doubled by then', async () => {
    const appointment = await reminded();
    await age(appointment.id, 60 * 60);
    await sweep();
    const before = Date.parse(appointment.scheduled_at) - 15 * 60_000;
    expect((await checkOf(appointment.id))?.at?.getTime()).toBe(before);
  });

  test('is found although more reminders are answered than one batch has', async () => {
    const answered = await reminded();
    await say('1');
    await age(answered.id, 60);
    const appointment = await reminded();
    await age(appointment.id, 30);
    const { systemDatabase } = reminders.dependencies;
    const take = () =>
      systemDatabase.write({ deadline: Date.now() + 30_000 }, (sql) => takeUnanswered(sql, { limit: 1 }));
    // A sweep ends with a batch that is not full.
    expect([(await take()).length, (await take()).length, (await take()).length]).toEqual([1, 1, 0]);
  });

  test('and is no answer changes nothing, and no other reminder is looked at', async () => {
    const appointment = await reminded();
    reminders.write(lead_id, '1', new Date(Date.now() - 60_000));
    reminders.write(lead_id, 'maybe');
    reminders.write(reminders.addLead(storeId), '1');
    const [reminder] = await reminders.remindersOf(storeId, appointment.id);
    await reminders.step(storeId, reminder?.id as string);
    expect(await stateOf(appointment)).toBe('scheduled');
    await rulesWith({ ...asking, ask_confirmation: false });
    const silent = await reminded(soonAt(70));
    expect((await checkOf(silent.id))?.at).toBeNull();
  });
});

test('without a question a word changes nothing: not sent yet, not asking, or about an earlier time', async () => {
  const unsent = await reminders.book(storeId, soonAt(48), { lead_id });
  await say('2');
  expect(await stateOf(unsent)).toBe('scheduled');

  await rulesWith({ ...asking, ask_confirmation: false });
  const silent = await reminded();
  await say('2');
  expect(await stateOf(silent)).toBe('scheduled');

  await rulesWith(asking);
  const moved = await reminded(soonAt(72));
  await reminders.change(storeId, moved.id, { scheduled_at: soonAt(20) });
  await say('2');
  expect(await stateOf(moved)).toBe('scheduled');
});

test('the words of the store count', async () => {
  await rulesWith(asking, { confirm_words: ['Sim'], cancel_words: ['Não'] });
  const appointment = await reminded();
  await say('1');
  expect(await stateOf(appointment)).toBe('scheduled');
  await say('SIM!');
  expect(await stateOf(appointment)).toBe('scheduled and confirmed');
});

test('the latest reminder decides which appointment is meant, and no other is', async () => {
  const first = await reminded(soonAt(48));
  const second = await reminded(soonAt(72));
  await say('1');
  expect([await stateOf(first), await stateOf(second)]).toEqual(['scheduled', 'scheduled and confirmed']);
  // A second answer is about the same question, which is answered.
  await say('2');
  expect([await stateOf(first), await stateOf(second)]).toEqual(['scheduled', 'scheduled and confirmed']);
});

test('a later reminder of a confirmed appointment asks again', async () => {
  await reminders.rules(storeId, {
    ...{ overlap: 'reject', capacity: 5 },
    reminders: [asking, { ...soon, ask_confirmation: true }],
  });
  const appointment = await reminded();
  await say('1');
  const [, later] = await reminders.remindersOf(storeId, appointment.id);
  await reminders.send(storeId, later as Followup);
  await say('2');
  expect(await reminders.read(storeId, appointment.id)).toMatchObject({ status: 'cancelled' });
});

test('the customer who confirms again in answer to a later reminder is told of again, and counted once', async () => {
  await reminders.rules(storeId, {
    ...{ overlap: 'reject', capacity: 5 },
    reminders: [asking, { ...soon, ask_confirmation: true }],
  });
  const appointment = await reminded();
  await say('1');
  const [, later] = await reminders.remindersOf(storeId, appointment.id);
  await reminders.send(storeId, later as Followup);
  await say('1');
  const facts = await factsOf(appointment.id);
  expect(facts.map(({ type }) => type)).toEqual([1, 2].flatMap(() => ['appointment.updated', 'appointment.confirmed']));
  const counted = await reminders.adminSql`
    select 1 from appointment_facts where store_id = ${storeId} and metric = 'appointments_confirmed'`;
  expect(counted).toHaveLength(1);
});

test('a move takes the confirmation back, and any other change keeps it', async () => {
  const appointment = await reminded();
  await say('1');
  await reminders.change(storeId, appointment.id, { title: 'Shave', duration_minutes: 30 });
  expect(await stateOf(appointment)).toBe('scheduled and confirmed');
  const moved = await reminders.change(storeId, appointment.id, { scheduled_at: soonAt(72) });
  expect(moved.confirmed_at).toBeNull();
});

test('the list of appointments finds those that are confirmed, and those that are not', async () => {
  const open = await reminders.book(storeId, soonAt(50), { lead_id });
  const confirmed = await reminded();
  await say('1');
  const list = async (query: { confirmed: boolean }) =>
    (await reminders.rpc.call(listAppointments, { query }, testContext({ storeId }))).data.map(({ id }) => id);
  expect(await list({ confirmed: true })).toEqual([confirmed.id]);
  expect(await list({ confirmed: false })).toEqual([open.id]);
});

test('a past appointment can no longer be confirmed', async () => {
  const appointment = await reminded();
  await reminders.adminSql`update appointments set scheduled_at = now() where id = ${appointment.id}`;
  await reminders.adminSql`
    update followups f set reminder_start = a.scheduled_at from appointments a
    where a.id = ${appointment.id} and f.appointment_id = a.id`;
  await say('1');
  expect(await stateOf(appointment)).toBe('scheduled');
});
