import {
  type Followup,
  getAppointmentInvitation,
  getBookingRules,
  mergeLeadScheduling,
  updateSendingWindows,
} from '@mostrador/contracts';
import { momentText } from '@mostrador/hours/clock';
import { AppError } from '@mostrador/kit/rpc/errors';
import { stepLimits } from '@mostrador/kit/step/step';
import { testContext } from '@mostrador/testing/context';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { asking, day, soon, soonAt, startReminders, type TestReminders } from '../../test/reminders.ts';

let reminders: TestReminders;
beforeAll(async () => {
  reminders = await startReminders();
});
afterAll(() => reminders?.stop());
beforeEach(() => {
  reminders.reply.answer = async () => ({ status: 'sent', error: null });
});

const minutesBefore = (start: string, minutes: number) => new Date(Date.parse(start) - minutes * 60_000).toISOString();
/** The state of each reminder: its status or why it was cancelled, and its minutes. */
const statesOf = async (storeId: string, appointmentId: string) =>
  (await reminders.remindersOf(storeId, appointmentId))
    .map(({ status, cancel_reason, reminder }) => `${reminder?.minutes_before} ${cancel_reason ?? status}`)
    .toSorted();
const typesOf = async (storeId: string, id: string) =>
  (await reminders.feed(storeId)).flatMap(({ type, entity_id }) => (entity_id === id ? [type] : []));
const signalsOf = async (storeId: string, id: string) =>
  (await reminders.wakeUps(storeId)).flatMap(({ entity_id, signal }) => (entity_id === id ? [signal] : []));
/** A booked appointment with one reminder of the day before. */
async function booked(start = soonAt(48), reminder = asking) {
  const { storeId, lead_id } = await reminders.reminding([reminder]);
  const appointment = await reminders.book(storeId, start, { lead_id });
  const [only, ...others] = await reminders.remindersOf(storeId, appointment.id);
  expect(others).toEqual([]);
  return { storeId, lead_id, appointment, reminder: only as Followup };
}

describe('an appointment', () => {
  test('gets each reminder whose time is yet to come, as a follow-up about it', async () => {
    const { storeId, lead_id } = await reminders.reminding([asking, soon]);
    const start = soonAt(48);
    const { id } = await reminders.book(storeId, start, { lead_id });
    const [first, second] = await reminders.remindersOf(storeId, id);
    expect(first).toMatchObject({
      ...{ lead_id, appointment_id: id, message: day.message, template: null, status: 'pending' },
      ...{ due_at: minutesBefore(start, 1440), next_attempt_at: minutesBefore(start, 1440), expires_at: start },
      ...{ cancel_on_reply: false, cancel_on_appointment: false, metadata: {} },
      reminder: { minutes_before: 1440, ask_confirmation: true },
    });
    expect(second).toMatchObject({ due_at: minutesBefore(start, 120), reminder: { ask_confirmation: false } });
    expect(await typesOf(storeId, first?.id ?? '')).toEqual(['followup.scheduled']);
    expect(await signalsOf(storeId, first?.id ?? '')).toEqual(['scheduled']);

    const late = await reminders.book(storeId, soonAt(3), { lead_id });
    expect(await statesOf(storeId, late.id)).toEqual(['120 pending']);
  });

  test('has none without a lead, and in a store without reminders', async () => {
    const { storeId } = await reminders.reminding([asking]);
    const { id } = await reminders.book(storeId, soonAt(48));
    expect(await statesOf(storeId, id)).toEqual([]);
    const other = await reminders.reminding([]);
    const plain = await reminders.book(other.storeId, soonAt(48), { lead_id: other.lead_id });
    await reminders.change(other.storeId, plain.id, { scheduled_at: soonAt(72) });
    expect(await statesOf(other.storeId, plain.id)).toEqual([]);
    expect(plain.confirmed_at).toBeNull();
  });

  test('of many that are booked at once, each gets its own', async () => {
    const { storeId, lead_id } = await reminders.reminding([asking, soon], { overlap: 'reject', capacity: 100 });
    const starts = Array.from({ length: 20 }, (_, index) => soonAt(48 + index));
    const all = await Promise.all(starts.map((start) => reminders.book(storeId, start, { lead_id })));
    for (const { id, scheduled_at } of all) {
      const own = await reminders.remindersOf(storeId, id);
      expect(own.map(({ due_at }) => due_at)).toEqual([1440, 120].map((each) => minutesBefore(scheduled_at, each)));
    }
  });

  test('takes its reminders along when it moves, and ends them when it is cancelled', async () => {
    const { storeId, appointment, reminder } = await booked();
    const start = soonAt(72);
    await reminders.change(storeId, appointment.id, { scheduled_at: start });
    const [moved, ...others] = await reminders.remindersOf(storeId, appointment.id);
    expect(others).toEqual([]);
    expect(moved).toMatchObject({ id: reminder.id, due_at: minutesBefore(start, 1440), expires_at: start });
    expect(await signalsOf(storeId, reminder.id)).toEqual(['scheduled', 'rescheduled']);
    expect(await typesOf(storeId, reminder.id)).toEqual(['followup.scheduled', 'followup.updated']);

    await reminders.change(storeId, appointment.id, { duration_minutes: 30, title: 'Shave' });
    expect(await signalsOf(storeId, reminder.id)).toHaveLength(2);

    await reminders.change(storeId, appointment.id, { status: 'cancelled' });
    expect(await statesOf(storeId, appointment.id)).toEqual(['1440 appointment_closed']);
    expect(await signalsOf(storeId, reminder.id)).toEqual(['scheduled', 'rescheduled', 'cancelled']);
    expect(await typesOf(storeId, reminder.id)).toContain('followup.cancelled');
    expect(await reminders.step(storeId, reminder.id)).toMatchObject({ done: true });
    expect(reminders.asked.filter(({ id }) => id === reminder.id)).toEqual([]);
  });

  test('that is changed many times at once has one reminder, for its last time', async () => {
    const { storeId, appointment } = await booked();
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        reminders.change(storeId, appointment.id, { scheduled_at: soonAt(index % 3 === 0 ? 12 : 50 + index) }),
      ),
    );
    // Some of the times were too soon for it, and cancelled it.
    await reminders.change(storeId, appointment.id, { scheduled_at: soonAt(100) });
    const all = await reminders.remindersOf(storeId, appointment.id);
    const pending = all.filter(({ status }) => status === 'pending');
    expect(pending.map(({ due_at }) => due_at)).toEqual([minutesBefore(soonAt(100), 1440)]);
    expect(
      all.every(({ status, cancel_reason }) => status === 'pending' || cancel_reason === 'appointment_moved'),
    ).toBe(true);
  });

  test('of a lead that was merged reminds the lead that stays', async () => {
    const { storeId, lead_id, appointment, reminder } = await booked();
    const kept = reminders.addLead(storeId, 'Ana');
    await reminders.rpc.call(mergeLeadScheduling, { body: { lead_id, merged_into: kept } }, testContext({ storeId }));
    await reminders.change(storeId, appointment.id, { scheduled_at: soonAt(72) });
    await reminders.send(storeId, reminder);
    expect(reminders.asked.findLast(({ id }) => id === reminder.id)).toMatchObject({ lead_id: kept });
  });
});

describe('new rules', () => {
  test('give their reminders to the appointments that exist, and end those that they do not have', async () => {
    const { storeId, appointment, reminder } = await booked();
    await reminders.rules(storeId, { overlap: 'allow', reminders: [{ ...asking, message: 'See you' }, soon] });
    const [changed, added] = await reminders.remindersOf(storeId, appointment.id);
    expect(changed).toMatchObject({ id: reminder.id, message: 'See you', due_at: reminder.due_at });
    expect(added).toMatchObject({ message: 'Soon', status: 'pending' });
    // What has not changed is left alone.
    const before = await reminders.wakeUps(storeId);
    await reminders.rules(storeId, { overlap: 'allow', reminders: [{ ...asking, message: 'See you' }, soon] });
    expect(await reminders.wakeUps(storeId)).toEqual(before);
    await reminders.rules(storeId, { overlap: 'allow' });
    expect(await statesOf(storeId, appointment.id)).toEqual(['120 reminder_removed', '1440 reminder_removed']);
  });

  test.each<[string, object]>([
    ['#/reminders/1/minutes_before', { reminders: [asking, { ...asking, message: 'x' }] }],
    ['#/reminders/0/message', { reminders: [{ ...asking, message: 'Costs {{price}}' }] }],
    ['#/reminders/0/minutes_before', { reminders: [{ ...asking, minutes_before: 4 }] }],
    ['#/cancel_words/1', { confirm_words: ['Sim'], cancel_words: ['não', 'SIM!'] }],
    ['#/confirm_words/0', { confirm_words: ['…'] }],
    ['#/confirm_words/0', { confirm_words: ['Stop!'] }],
    ['#/cancel_words/1', { cancel_words: ['cancelar', 'Parar'] }],
    ['#/cancel_words', { cancel_words: [] }],
  ])('are refused for %s', async (pointer, rules) => {
    await expect(reminders.store(rules)).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: [expect.objectContaining({ pointer })] },
    });
  });

  test('that are sent back as an earlier version stored them name the word that opts out, and what to do', async () => {
    const storeId = await reminders.store({ confirm_words: ['sim'], cancel_words: ['não'] });
    await reminders.adminSql`
      update booking_rules set cancel_words = array['não', 'Sair'] where store_id = ${storeId}`;
    const stored = await reminders.rpc.call(getBookingRules, {}, testContext({ storeId }));
    expect(stored.cancel_words).toEqual(['não', 'Sair']);
    const detail = 'must not be `Sair`, which opts the customer out: use another word, such as `1`';
    await expect(reminders.rules(storeId, stored)).rejects.toMatchObject({
      ...{ code: 'validation_failed', detail: `#/cancel_words/1 ${detail}.` },
      members: { errors: [{ pointer: '#/cancel_words/1', detail }] },
    });
    expect(await reminders.rules(storeId, { ...stored, cancel_words: ['não'] })).toMatchObject({
      cancel_words: ['não'],
    });
  });
});

describe('the template of a reminder', () => {
  const withTemplate = (name: string) => ({ ...soon, template: { name, language: 'en' } });
  const detail = 'must have 1 parameters';

  test('is checked when the rules get it, and its faults say where it stands', async () => {
    const { storeId } = await reminders.reminding([]);
    reminders.reply.unknownTemplates.add('gone');
    await expect(reminders.rules(storeId, { reminders: [withTemplate('gone')] })).rejects.toMatchObject({
      code: 'template_not_found',
    });
    reminders.reply.templateFaults = [{ pointer: '#/template/components/0', detail }];
    await expect(reminders.rules(storeId, { reminders: [day, withTemplate('visit')] })).rejects.toMatchObject({
      members: { errors: [{ pointer: '#/reminders/1/template/components/0', detail }] },
    });
    reminders.reply.templateFaults = [];
    await reminders.rules(storeId, { reminders: [withTemplate('visit')] });
  });

  test('does not keep the store from changing other rules when the channel has it no more', async () => {
    const { storeId } = await reminders.reminding([withTemplate('old')]);
    reminders.reply.unknownTemplates.add('old');
    const rules = { reminders: [withTemplate('old')], horizon_days: 30 };
    expect(await reminders.rules(storeId, rules)).toMatchObject({ horizon_days: 30 });
  });
});

describe('a reminder that is due', () => {
  test('is sent once with its placeholders filled in from the appointment, the lead and the store', async () => {
    const { storeId, lead_id } = await reminders.reminding([
      {
        ...asking,
        template: { name: 'reminder', language: 'en', components: [{ parameters: [{ text: '{{time}}' }] }] },
      },
    ]);
    reminders.world.timezone = 'America/Sao_Paulo';
    const service = await reminders.service(storeId, { name: 'Corte' });
    const start = soonAt(48);
    const { id } = await reminders.book(storeId, start, { lead_id, service_id: service.id });
    const [reminder] = await reminders.remindersOf(storeId, id);
    expect(await reminders.send(storeId, reminder as Followup)).toMatchObject({ done: true, reason: 'sent' });
    reminders.world.timezone = 'UTC';
    const time = momentText(new Date(start), { timezone: 'America/Sao_Paulo', locale: 'en' });
    expect(reminders.asked.at(-1)).toMatchObject({
      ...{ id: reminder?.id, lead_id, message: `Maria, Corte: ${time}`, expires_at: start },
      template: { name: 'reminder', language: 'en', components: [{ parameters: [{ text: time }] }] },
    });
    expect(reminders.asked.at(-1)).not.toHaveProperty('unless_reply_after');
    expect(await reminders.remindersOf(storeId, id)).toMatchObject([
      { status: 'sent', message: `Maria, Corte: ${time}`, reminder: { ask_confirmation: true } },
    ]);
  });

  test('says the title of an appointment without a service, or whose service was deleted', async () => {
    const { storeId, appointment, reminder } = await booked(soonAt(48), { ...asking, message: '{{service}}' });
    await reminders.send(storeId, reminder);
    expect(reminders.asked.at(-1)?.message).toBe(appointment.title);
  });

  test('has a link that puts the appointment into the calendar of the lead', async () => {
    const { storeId, appointment, reminder } = await booked(soonAt(48), { ...asking, message: '{{calendar_link}}' });
    await reminders.send(storeId, reminder);
    const params = { appointmentId: appointment.id };
    const invitation = await reminders.rpc.call(getAppointmentInvitation, { params }, testContext({ storeId }));
    expect(reminders.asked.at(-1)?.message).toBe(invitation.url);
  });

  test('is not sent from the beginning of the appointment on', async () => {
    const { storeId, appointment, reminder } = await booked();
    await reminders.adminSql`
      update followups set expires_at = now(), reminder_start = now(), due_at = now() - interval '1 day',
        next_attempt_at = now() - interval '1 second' where id = ${reminder.id}`;
    expect(await reminders.step(storeId, reminder.id)).toMatchObject({ done: true, reason: 'cancelled (expired)' });
    expect(await statesOf(storeId, appointment.id)).toEqual(['1440 expired']);
  });

  test('waits for the sending window of the store', async () => {
    const { storeId, lead_id } = await reminders.reminding([soon]);
    const today = new Date().getUTCDay();
    const weekday = (['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const)[
      (today + 4) % 7
    ] as 'sunday';
    const windows = [{ weekdays: [weekday], from: '00:00', to: '24:00' }];
    await reminders.rpc.call(updateSendingWindows, { body: { windows } }, testContext({ storeId }));
    const { id } = await reminders.book(storeId, soonAt(6 * 24), { lead_id });
    const [reminder] = await reminders.remindersOf(storeId, id);
    // It is due on the sixth day, after the only window before the appointment: the next one is too late.
    expect(new Date(reminder?.next_attempt_at ?? '').getUTCDay()).toBe((today + 4) % 7);
    expect((reminder?.next_attempt_at ?? '') > (reminder?.expires_at ?? '')).toBe(true);
  });

  test('is not sent when its rule is gone, although the process that removed it died', async () => {
    const { storeId, appointment, reminder } = await booked();
    await reminders.adminSql`update booking_rules set reminders = '[]' where store_id = ${storeId}`;
    await reminders.send(storeId, reminder);
    expect(await statesOf(storeId, appointment.id)).toEqual(['1440 reminder_removed']);
  });

  test('that messaging refuses while its appointment moves is not sent for the old time', async () => {
    const { storeId, appointment, reminder } = await booked();
    reminders.reply.answer = async () => {
      await reminders.change(storeId, appointment.id, { scheduled_at: soonAt(72) });
      throw new AppError('channel_not_connected');
    };
    await reminders.send(storeId, reminder);
    reminders.reply.answer = async () => ({ status: 'sent', error: null });
    await reminders.send(storeId, reminder);
    const now = await reminders.remindersOf(storeId, appointment.id);
    expect(now.find(({ id }) => id === reminder.id)).toMatchObject({ cancel_reason: 'appointment_moved' });
    const kept = now.filter(({ status }) => status === 'pending');
    expect(kept.map(({ expires_at }) => expires_at)).toEqual([soonAt(72), soonAt(72)]);
  });

  test('that is sent while its appointment moves is followed by the new time at once, and by the usual reminder', async () => {
    const { storeId, appointment, reminder } = await booked();
    reminders.reply.answer = async () => {
      await reminders.change(storeId, appointment.id, { scheduled_at: soonAt(72) });
      return { status: 'sent', error: null };
    };
    await reminders.send(storeId, reminder);
    reminders.reply.answer = async () => ({ status: 'sent', error: null });
    const [correction, usual] = (await reminders.remindersOf(storeId, appointment.id)).filter(
      ({ status }) => status === 'pending',
    );
    // Not before the attempt that was running can no longer repeat.
    expect(Date.parse(correction?.due_at ?? '') - Date.now()).toBeLessThan(stepLimits.leaseMs);
    expect(usual?.due_at).toBe(minutesBefore(soonAt(72), 1440));
    await reminders.send(storeId, correction as Followup);
    const time = momentText(new Date(soonAt(72)), { timezone: 'UTC', locale: 'en' });
    expect(reminders.asked.at(-1)).toMatchObject({ id: correction?.id, message: expect.stringContaining(time) });
  });

  test('and an appointment that moves at the same moment: it tells the old time before the move, or the new one later', async () => {
    const [start, later] = [soonAt(48), soonAt(72)];
    const oldTime = momentText(new Date(start), { timezone: 'UTC', locale: 'en' });
    for (let round = 0; round < 15; round += 1) {
      const { storeId, appointment, reminder } = await booked(start);
      await reminders.makeDue(reminder.id);
      const move = () => reminders.change(storeId, appointment.id, { scheduled_at: later });
      // Now the one, now the other begins.
      const step = () => reminders.step(storeId, reminder.id);
      await Promise.all(round % 2 === 0 ? [step(), move()] : [move(), step()]);
      const states = await statesOf(storeId, appointment.id);
      const told = reminders.asked.filter(({ id }) => id === reminder.id).map(({ message }) => message);
      const pending = (await reminders.remindersOf(storeId, appointment.id)).filter(
        ({ status }) => status === 'pending',
      );
      expect(pending.at(-1)).toMatchObject({ due_at: minutesBefore(later, 1440), expires_at: later });
      if (told.length === 0) expect([states, pending[0]?.id]).toEqual([['1440 pending'], reminder.id]);
      else {
        expect(told).toEqual([expect.stringContaining(oldTime)]);
        // One more when it was on its way at that moment.
        expect([2, 3]).toContain(states.length);
        expect(pending.map(({ expires_at }) => expires_at)).toEqual(pending.map(() => later));
      }
    }
  });

  test('can get another text, but no other appointment, and no later end', async () => {
    const { storeId, lead_id, reminder } = await booked();
    const other = await reminders.book(storeId, soonAt(50), { lead_id });
    const edited = reminders.edit(storeId, reminder.id, { appointment_id: other.id, expires_at: null });
    await expect(edited).rejects.toMatchObject({
      code: 'validation_failed',
      members: { errors: [{ pointer: '#/appointment_id' }, { pointer: '#/expires_at' }] },
    });
    await reminders.edit(storeId, reminder.id, { message: 'Bring your card, {{name}}' });
    await reminders.send(storeId, reminder);
    expect(reminders.asked.at(-1)?.message).toBe('Bring your card, Maria');
  });
});
