import { expect, test } from 'vitest';
import type { Appointment, Followup, Lead, Message, StoreEvent } from '../api/platform.ts';
import { type Timeline, timelineOf } from './timeline.ts';

const now = Date.parse('2026-11-23T12:00:00Z');
const lead = { id: 'l', created_at: '2026-11-01T12:00:00Z' } as Lead;
const nothing = { lead, messages: [], appointments: [], followups: [], events: [] };
const appointment = (id: string, scheduled_at: string, more: Partial<Appointment> = {}) =>
  ({ id, scheduled_at, duration_minutes: 60, status: 'scheduled', updated_at: scheduled_at, ...more }) as Appointment;
const followup = (id: string, status: Followup['status'], more: Partial<Followup> = {}) =>
  ({
    id,
    status,
    due_at: '2026-11-24T12:00:00Z',
    next_attempt_at: null,
    updated_at: '2026-11-22T12:00:00Z',
    message_id: null,
    ...more,
  }) as Followup;
const event = (id: string, day: number, status: string, seller_id: string | null = null) =>
  ({ id, created_at: `2026-11-${day}T12:00:00Z`, data: { status, seller_id } }) as unknown as StoreEvent;
const ids = ({ ahead, past }: Timeline) => ({ ahead: ahead.map(({ id }) => id), past: past.map(({ id }) => id) });

test('future items come apart, the next first; past ones come newest first and end with the creation of the lead', () => {
  const message = { id: 'm', created_at: '2026-11-20T12:00:00Z' } as Message;
  const appointments = [appointment('old', '2026-11-21T12:00:00Z'), appointment('next', '2026-11-30T12:00:00Z')];
  const timeline = timelineOf(
    { ...nothing, messages: [message], appointments, followups: [followup('f', 'pending')] },
    now,
  );
  expect(ids(timeline)).toEqual({ ahead: ['f', 'next'], past: ['old', 'm', 'l'] });
});

test('an appointment that is going on is still ahead, and one that was cancelled is past', () => {
  const appointments = [
    appointment('going on', '2026-11-23T11:30:00Z'),
    appointment('off', '2026-12-01T12:00:00Z', { status: 'cancelled', updated_at: '2026-11-22T12:00:00Z' }),
  ];
  expect(ids(timelineOf({ ...nothing, appointments }, now))).toEqual({ ahead: ['going on'], past: ['off', 'l'] });
});

test('a follow-up whose message is shown is not shown twice', () => {
  const message = { id: 'm', created_at: '2026-11-22T12:00:00Z' } as Message;
  const followups = [followup('f', 'sent', { message_id: 'm' }), followup('g', 'sent', { message_id: 'older' })];
  expect(ids(timelineOf({ ...nothing, messages: [message], followups }, now)).past).toEqual(['m', 'g', 'l']);
});

test('between events a change of status or seller is shown, and other changes are not', () => {
  const events = [event('a', 10, 'pending'), event('b', 11, 'pending'), event('c', 12, 'lost', 's')];
  const { past } = timelineOf({ ...nothing, events }, now);
  expect(past.map(({ kind }) => kind)).toEqual(['status', 'seller', 'created']);
  expect(past[0]).toMatchObject({ from: 'pending', to: 'lost' });
});
