import type { FollowupCancelReason, SendingWindows } from '@mostrador/contracts';
import { describe, expect, test } from 'vitest';
import type { Reminded } from '../reminders/reminder.repository.ts';
import type { FollowupRow } from './followup.ts';
import { nextLook, nextMove } from './next-move.ts';

const now = new Date('2026-11-26T12:00:00.000Z');
const inMinutes = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
const row: FollowupRow = {
  ...{ id: '0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60', lead_id: 'l', message: 'Hello', template: null, message_id: null },
  ...{ due_at: inMinutes(-1), next_attempt_at: inMinutes(-1), status: 'pending', error_code: null, error_detail: null },
  ...{ cancel_reason: null, cancel_on_reply: true, cancel_on_appointment: false, appointment_id: null, metadata: {} },
  ...{ expires_at: null, attempts: 0, first_attempt_at: null, lease_until: null, version: 1 },
  ...{ reminder_minutes: null, reminder_start: null, asks_confirmation: false },
  ...{ created_at: inMinutes(-9), updated_at: inMinutes(-9) },
};
// 2026-11-26 is a Thursday.
const closed: SendingWindows = [{ weekdays: ['friday'], from: '09:00', to: '18:00' }];
const moveOf = (columns: Partial<FollowupRow>, windows: SendingWindows = []) =>
  nextMove({ followup: { ...row, ...columns }, now, windows, zone: windows.length > 0 ? 'UTC' : null });

test.each<[string, Partial<FollowupRow>, SendingWindows]>([
  ['it is due', {}, []],
  ['the sending window is closed', {}, closed],
  ['its retry is due later', { next_attempt_at: inMinutes(60), error_code: 'channel_not_connected' }, []],
  ['it is not due yet', { due_at: inMinutes(60), next_attempt_at: inMinutes(60) }, []],
  ['it was due 20 days ago', { due_at: inMinutes(-20 * 1440) }, []],
  ['a restore holds it', { error_code: 'restored', next_attempt_at: inMinutes(1440) }, []],
])('from `expires_at` on a pending follow-up is cancelled and nothing else, when %s', (_, columns, windows) => {
  for (const minutes of [0, -1])
    expect(moveOf({ ...columns, expires_at: inMinutes(minutes) }, windows).kind).toBe('cancel');
  expect(moveOf({ ...columns, expires_at: inMinutes(1) }, windows).kind).not.toBe('cancel');
});

test('a follow-up that messaging may have is not cancelled here: only messaging knows whether it was sent', () => {
  const expires_at = inMinutes(-1);
  expect(moveOf({ status: 'sending', expires_at }).kind).toBe('claim');
  expect(moveOf({ status: 'sending', expires_at, lease_until: inMinutes(1) }).kind).toBe('answer');
  for (const status of ['sent', 'failed', 'cancelled'] as const) {
    expect(moveOf({ status, expires_at })).toMatchObject({ kind: 'answer', next: { done: true } });
  }
});

test('the next look at a follow-up is its next attempt, or its end if that comes first', () => {
  expect(nextLook({ expires_at: null }, inMinutes(5))).toEqual(inMinutes(5));
  expect(nextLook({ expires_at: inMinutes(9) }, inMinutes(5))).toEqual(inMinutes(5));
  expect(nextLook({ expires_at: inMinutes(4) }, inMinutes(5))).toEqual(inMinutes(4));
  const waiting = { due_at: inMinutes(60), next_attempt_at: inMinutes(60), expires_at: inMinutes(30) };
  expect(moveOf(waiting)).toMatchObject({ next: { wake_at: inMinutes(30).toISOString() } });
});

describe('a reminder', () => {
  const start = inMinutes(60);
  const reminder = { reminder_minutes: 60, reminder_start: start, expires_at: start };
  const reminded: Reminded = { status: 'scheduled', scheduled_at: start, service: 'Haircut', is_wanted: true };
  const moveFor = (columns: Partial<FollowupRow>, appointment: Partial<Reminded>) =>
    nextMove({
      ...{ followup: { ...row, ...reminder, ...columns }, now, windows: [], zone: null },
      reminded: { ...reminded, ...appointment },
    });

  test.each<[string, Partial<Reminded>, FollowupCancelReason]>([
    ['is cancelled', { status: 'cancelled' }, 'appointment_closed'],
    ['has another time', { scheduled_at: inMinutes(90) }, 'appointment_moved'],
    ['has no such reminder in the rules', { is_wanted: false }, 'reminder_removed'],
  ])('is not sent when its appointment %s', (_, appointment, reason) => {
    expect(moveFor({}, appointment)).toMatchObject({ kind: 'cancel', reason });
    // What messaging may have is asked for.
    expect(moveFor({ status: 'sending' }, appointment).kind).toBe('claim');
  });

  test('is sent for the time that it was made for, and not from the beginning on', () => {
    expect(moveFor({}, {}).kind).toBe('claim');
    expect(moveFor({ expires_at: now }, {})).toMatchObject({ kind: 'cancel', reason: 'expired' });
  });
});
