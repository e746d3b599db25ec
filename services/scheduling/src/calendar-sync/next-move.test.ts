import { describe, expect, test } from 'vitest';
import { toCalendarEvent } from '../calendars/calendar-event.ts';
import { CalendarError, toCalendarError } from '../calendars/calendar-provider.ts';
import type { ConnectionRow } from '../calendars/connection.repository.ts';
import { delayAfter, nextMove, waitWhile } from './next-move.ts';
import type { SyncRow } from './sync.repository.ts';

const now = new Date('2026-11-21T12:00:00Z');
const later = new Date(now.getTime() + 7_000);
const earlier = new Date(now.getTime() - 7_000);

const connection: ConnectionRow = {
  id: 'c',
  provider: 'caldav',
  settings: {},
  sealed_credentials: 'sealed',
  sealed_feed_token: null,
  status: 'connected',
  last_error_code: null,
  last_error_detail: null,
  connected_at: earlier,
  fenced_at: null,
  refused_at: null,
  epoch: earlier,
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
  write_back: false,
  time_mark: null,
  wait_reason: null,
  wait_since: null,
};
const move = (situation: Partial<Parameters<typeof nextMove>[0]>) =>
  nextMove({ sync, connection, now, blocked: () => null, ...situation });

describe('nextMove', () => {
  test('a due sync leads to a call', () => {
    expect(move({})).toMatchObject({ kind: 'claim', connection, sync });
    expect(move({ sync: { ...sync, next_attempt_at: now } })).toMatchObject({ kind: 'claim' });
  });

  test('without a sync, or with a sync of an earlier connection, nothing is left to do', () => {
    expect(move({ sync: undefined })).toMatchObject({ kind: 'answer', next: { done: true } });
    expect(move({ connection: undefined })).toMatchObject({ kind: 'answer', next: { done: true } });
  });

  test('a synced appointment is done', () => {
    expect(move({ sync: { ...sync, state: 'synced', next_attempt_at: null } })).toMatchObject({ next: { done: true } });
  });

  test('`needs_attention` waits for a signal without a time', () => {
    const refused = { ...sync, state: 'needs_attention' as const, last_error_code: 'rejected', next_attempt_at: null };
    expect(move({ sync: refused })).toEqual({
      kind: 'answer',
      next: { done: false, wake_at: null, reason: 'the calendar sync needs attention (rejected)' },
    });
  });

  test('a refused connection is not called again', () => {
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

  test('a step waits until the lease of the running attempt ends', () => {
    expect(move({ sync: { ...sync, lease_until: later } })).toMatchObject({
      kind: 'answer',
      next: { done: false, wake_at: '2026-11-21T12:00:07.000Z' },
    });
  });

  test('an expired lease does not block the next attempt', () => {
    expect(move({ sync: { ...sync, lease_until: earlier } })).toMatchObject({ kind: 'claim' });
  });

  test('an early step waits, and its reason holds codes only', () => {
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

  test('a calendar whose circuit blocks calls is not called', () => {
    const blocked = { reason: 'provider_unavailable' as const, forMs: 20_000 };
    expect(move({ blocked: () => blocked })).toEqual({ kind: 'postpone', blocked });
  });
});

describe('delayAfter', () => {
  const unavailable = new CalendarError('unavailable', 'calendar_timeout', 'No answer.');
  const middle = () => 0.5;

  test('starts at 5 s, doubles each time, and ends at 5 minutes', () => {
    const seconds = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((attempts) => delayAfter(unavailable, attempts, middle) / 1000);
    expect(seconds).toEqual([5, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test('has 20% jitter to either side, up to 5 minutes', () => {
    expect(delayAfter(unavailable, 1, () => 0)).toBe(4_000);
    expect(delayAfter(unavailable, 1, () => 1)).toBe(6_000);
    expect(delayAfter(unavailable, 50, () => 1)).toBe(300_000);
  });

  test('uses Retry-After instead, between 1 second and 1 day', () => {
    const throttled = (retryAfterSeconds: number) =>
      delayAfter(new CalendarError('throttled', 'throttled', 'Slow down.', { retryAfterSeconds }), 1, middle);
    expect(throttled(90)).toBe(90_000);
    expect(throttled(3600)).toBe(3_600_000);
    expect(throttled(0)).toBe(1_000);
    expect(throttled(10_000_000)).toBe(86_400_000);
  });

  const blockedFor = (forMs: number) => ({ reason: 'provider_unavailable' as const, forMs });
  test('the wait for a circuit never ends before the circuit allows a call again', () => {
    expect(waitWhile(blockedFor(30_000), () => 0).delayMs).toBe(30_000);
    expect(waitWhile(blockedFor(30_000), () => 1).delayMs).toBe(36_000);
    expect(waitWhile(blockedFor(0), () => 0).delayMs).toBe(500);
  });
});

test('an unexpected error counts as an outage, and its text is not shown', () => {
  const error = toCalendarError(new TypeError('cannot read title of Maria'));
  expect(error).toMatchObject({ kind: 'unavailable', code: 'calendar_failed' });
  expect(error.detail).not.toContain('Maria');
  const known = new CalendarError('rejected', 'too_large', 'Too large.');
  expect(toCalendarError(known)).toBe(known);
});

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

test('each version of an appointment has the same UID and a higher sequence', () => {
  const first = toCalendarEvent(row);
  const second = toCalendarEvent({ ...row, version: 2 });
  expect(first).toMatchObject({ uid: '0192d6c0-0000-7000-8000-000000000002@mostrador', sequence: 0 });
  expect(second).toMatchObject({ uid: first.uid, sequence: 1 });
});

test('after a restore every version has a higher sequence than any version before', () => {
  const fenced = { fenced_at: new Date('2026-11-22T08:00:00Z'), epoch: new Date('2026-11-22T08:00:00Z') };
  expect(toCalendarEvent({ ...row, version: 900 }).sequence).toBeLessThan(toCalendarEvent(row, fenced).sequence);
});
