import { expect, test } from 'vitest';
import type { AppointmentRow } from '../appointments/appointment.ts';
import type { SyncRow } from '../calendar-sync/sync.repository.ts';
import { eventChange, type SeenEvent } from './event-change.ts';

const at = (time: string) => new Date(`2027-01-31T${time}Z`);
const readAt = at('08:00:00');
const scheduled = {
  status: 'scheduled',
  scheduled_at: at('09:00:00'),
  duration_minutes: 60,
  version: 3,
} as AppointmentRow;
const written = {
  connection_id: 'c',
  state: 'synced',
  synced_version: 3,
  synced_at: at('07:00:00'),
} as SyncRow;
const event = (start: Date | null, durationMinutes = 60): SeenEvent => ({
  start: start ? start.getTime() : null,
  durationMinutes,
});
const moved = event(at('11:00:00'));

type Situation = { appointment?: Partial<AppointmentRow> | null; sync?: Partial<SyncRow> | null; seen: SeenEvent };
const change = ({ appointment = {}, sync = {}, seen }: Situation) =>
  eventChange({
    appointment: appointment === null ? undefined : { ...scheduled, ...appointment },
    sync: sync === null ? undefined : { ...written, ...sync },
    ...{ connectionId: 'c', seen, readAt },
  });
const patch = (more: object) => ({ kind: 'patch', patch: more });
const toEleven = patch({ scheduled_at: '2027-01-31T11:00:00.000Z', duration_minutes: 60 });

test.each<[string, Situation, object]>([
  ['a moved event moves the appointment', { seen: moved }, toEleven],
  [
    'a longer event makes it longer',
    { seen: event(at('09:00:00'), 90) },
    patch({ scheduled_at: '2027-01-31T09:00:00.000Z', duration_minutes: 90 }),
  ],
  ['a deleted event cancels it', { seen: 'gone' }, patch({ status: 'cancelled' })],
  ['what was written is no change', { seen: event(at('09:00:00')) }, { kind: 'none' }],
  [
    'parts of a second, which an event has not, are no change',
    { appointment: { scheduled_at: at('09:00:00.250') }, seen: event(at('09:00:00')) },
    { kind: 'none' },
  ],
  ['the event of no appointment changes nothing', { appointment: null, seen: moved }, { kind: 'none' }],
  ['an event that was never written changes nothing', { sync: null, seen: moved }, { kind: 'none' }],
  [
    'an event of an earlier connection changes nothing',
    { sync: { connection_id: 'b' }, seen: moved },
    { kind: 'none' },
  ],
  [
    'an appointment that changed since waits for its write',
    { sync: { state: 'pending' }, seen: moved },
    { kind: 'later' },
  ],
  ['also when its event is gone', { sync: { state: 'pending' }, seen: 'gone' }, { kind: 'later' }],
  [
    'an event that was written after the read is read again',
    { sync: { synced_at: at('08:00:00') }, seen: moved },
    { kind: 'later' },
  ],
  ['an appointment of another version is read again', { appointment: { version: 4 }, seen: moved }, { kind: 'later' }],
  ['a sync that needs a person changes nothing', { sync: { state: 'needs_attention' }, seen: moved }, { kind: 'none' }],
  [
    'the event of a cancelled appointment changes nothing',
    { appointment: { status: 'cancelled' }, seen: moved },
    { kind: 'none' },
  ],
  ['that of a done one is asked to move, which is refused', { appointment: { status: 'done' }, seen: moved }, toEleven],
  [
    'a deleted event of a done one changes nothing',
    { appointment: { status: 'done' }, seen: 'gone' },
    { kind: 'none' },
  ],
  [
    'cleaning up what is over cancels nothing',
    { appointment: { scheduled_at: at('07:00:00') }, seen: 'gone' },
    { kind: 'none' },
  ],
  [
    'what still runs can be cancelled',
    { appointment: { scheduled_at: at('07:00:01') }, seen: 'gone' },
    patch({ status: 'cancelled' }),
  ],
  ['a whole day is no time', { seen: event(null, 1440) }, { kind: 'refuse', reason: 'validation_failed' }],
  ['no length is none', { seen: event(at('11:00:00'), 0) }, { kind: 'refuse', reason: 'validation_failed' }],
  [
    'more than a day is too long',
    { seen: event(at('11:00:00'), 1441) },
    { kind: 'refuse', reason: 'validation_failed' },
  ],
])('%s', (_, situation, expected) => {
  expect(change(situation)).toEqual(expected);
});
