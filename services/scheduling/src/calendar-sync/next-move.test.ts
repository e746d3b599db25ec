import { describe, expect, test } from 'vitest';
import { toCalendarEvent } from '../calendars/calendar-event.ts';
import { CalendarError, toCalendarError } from '../calendars/calendar-provider.ts';
import type { ConnectionRow } from '../calendars/connection.repository.ts';
import { delayAfter, delayWhileBlocked, nextMove } from './next-move.ts';
import type { SyncRow } from './sync.repository.ts';

const now = new Date('2026-11-21T12:00:00Z');
const later = new Date(now.getTime() + 7_000);
const earlier = new Date(now.getTime() - 7_000);

const connection: ConnectionRow = {
  id: 'c',
  provider: 'caldav',
  settings: {},
  sealed_credentials: 'sealed',
  status: 'connected',
  last_error_code: null,
  last_error_detail: null,
  connected_at: earlier,
};
const sync: SyncRow = {
  appointment_id: 'a',
  connection_id: 'c',
  state: 'pending',
  desired_version: 2,
  synced_version: 1,
  synced_at: earlier,
  event_id: 'a@mostrador',
  href: '/a.ics',
  etag: '"1"',
  attempts: 0,
  last_error_code: null,
  last_error_detail: null,
  next_attempt_at: earlier,
  lease_until: null,
};
const move = (situation: Partial<Parameters<typeof nextMove>[0]>) =>
  nextMove({ sync, connection, now, blockedForMs: 0, ...situation });

describe('nextMove', () => {
  test('what is due is called', () => {
    expect(move({})).toMatchObject({ kind: 'call', connection, sync });
    expect(move({ sync: { ...sync, next_attempt_at: now } })).toMatchObject({ kind: 'call' });
  });

  test('without a calendar, or with one that does not concern the appointment, there is nothing to do', () => {
    expect(move({ sync: undefined })).toMatchObject({ kind: 'answer', next: { done: true } });
    expect(move({ connection: undefined })).toMatchObject({ kind: 'answer', next: { done: true } });
  });

  test('what is synced is done', () => {
    expect(move({ sync: { ...sync, state: 'synced', next_attempt_at: null } })).toMatchObject({ next: { done: true } });
  });

  test('only a person can end needs_attention: there is no time to wake at', () => {
    const refused = { ...sync, state: 'needs_attention' as const, last_error_code: 'rejected', next_attempt_at: null };
    expect(move({ sync: refused })).toEqual({
      kind: 'answer',
      next: { done: false, wake_at: null, reason: 'a person must see to the calendar (rejected)' },
    });
  });

  test('a connection that was refused is not asked again', () => {
    const refused: ConnectionRow = {
      ...connection,
      status: 'needs_attention',
      last_error_code: 'unauthorized',
      last_error_detail: 'The password was refused.',
    };
    expect(move({ connection: refused })).toEqual({
      kind: 'mark_refused',
      connection: refused,
      error: { code: 'unauthorized', detail: 'The password was refused.' },
    });
  });

  test('a retry while another attempt runs waits for the end of its lease', () => {
    expect(move({ sync: { ...sync, lease_until: later } })).toMatchObject({
      kind: 'answer',
      next: { done: false, wake_at: '2026-11-21T12:00:07.000Z' },
    });
  });

  test('an attempt whose lease has run out is gone, and the next one goes on', () => {
    expect(move({ sync: { ...sync, lease_until: earlier } })).toMatchObject({ kind: 'call' });
  });

  test('a retry before its time waits, and says why in codes alone', () => {
    const failed = {
      ...sync,
      attempts: 3,
      next_attempt_at: later,
      last_error_code: 'calendar_timeout',
      last_error_detail: 'calendar.example.com did not answer',
    };
    expect(move({ sync: failed })).toEqual({
      kind: 'answer',
      next: { done: false, wake_at: '2026-11-21T12:00:07.000Z', reason: 'attempt 3 failed (calendar_timeout)' },
    });
  });

  test('a calendar that may not be asked is not asked', () => {
    const postponed = move({ blockedForMs: 20_000 });
    expect(postponed.kind).toBe('postpone');
    if (postponed.kind === 'postpone') expect(postponed.delayMs).toBeGreaterThanOrEqual(20_000);
  });
});

describe('delayAfter', () => {
  const unavailable = new CalendarError('unavailable', 'calendar_timeout', 'No answer.');
  const middle = () => 0.5;

  test('5 s, doubled each time, at most 5 minutes', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((attempts) => delayAfter(unavailable, attempts, middle) / 1000);
    expect(seconds).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test('is spread by a fifth to either side, never beyond 5 minutes', () => {
    expect(delayAfter(unavailable, 1, () => 0)).toBe(4_000);
    expect(delayAfter(unavailable, 1, () => 1)).toBe(6_000);
    expect(delayAfter(unavailable, 50, () => 1)).toBe(300_000);
  });

  test('what the calendar asked for wins, within a second and a day', () => {
    const throttled = (retryAfterSeconds: number) =>
      delayAfter(new CalendarError('throttled', 'throttled', 'Slow down.', { retryAfterSeconds }), 1, middle);
    expect(throttled(90)).toBe(90_000);
    expect(throttled(3600)).toBe(3_600_000);
    expect(throttled(0)).toBe(1_000);
    expect(throttled(10_000_000)).toBe(86_400_000);
  });

  test('waiting for a closed circuit is never shorter than it is closed', () => {
    expect(delayWhileBlocked(30_000, () => 0)).toBe(30_000);
    expect(delayWhileBlocked(30_000, () => 1)).toBe(36_000);
    expect(delayWhileBlocked(0, () => 0)).toBe(500);
  });
});

test('what no adapter foresaw is tried again, and shows nothing of itself', () => {
  const error = toCalendarError(new TypeError('cannot read title of Maria'));
  expect(error).toMatchObject({ kind: 'unavailable', code: 'calendar_failed' });
  expect(error.detail).not.toContain('Maria');
  const known = new CalendarError('rejected', 'too_large', 'Too large.');
  expect(toCalendarError(known)).toBe(known);
});

test('every version of an appointment is the same event, with a higher sequence', () => {
  const row = {
    store_id: 's',
    id: '0192d6c0-0000-7000-8000-000000000002',
    lead_id: null,
    title: 'Haircut',
    scheduled_at: now,
    duration_minutes: 45,
    status: 'scheduled' as const,
    notes: null,
    version: 1,
    created_at: earlier,
    updated_at: earlier,
  };
  const first = toCalendarEvent(row);
  const second = toCalendarEvent({ ...row, version: 2 });
  expect(first).toMatchObject({ uid: '0192d6c0-0000-7000-8000-000000000002@mostrador', sequence: 0 });
  expect(second).toMatchObject({ uid: first.uid, sequence: 1 });
});
