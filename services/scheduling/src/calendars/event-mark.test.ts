import { expect, test } from 'vitest';
import type { CalendarEvent } from './calendar-provider.ts';
import { isKept, timeMarkOf } from './event-mark.ts';

const at = (time: string) => Date.parse(`2027-01-31T${time}Z`);
const event = { startsAt: new Date(at('09:00:00')), durationMinutes: 60, timeChangedAt: new Date(at('07:00:00')) };
const [same, earlier] = [timeMarkOf(at('09:00:00'), 60), timeMarkOf(at('08:00:00'), 60)];

test.each<[string, { timeMark: string; changedAt: number | null; replacesEdit?: boolean }, boolean]>([
  ['Mostrador has changed no time', { timeMark: same, changedAt: null }, true],
  [
    'Mostrador has changed no time, whatever else it changed later',
    { timeMark: same, changedAt: at('06:00:00') },
    true,
  ],
  ['Mostrador has changed the time before', { timeMark: earlier, changedAt: at('07:00:01') }, true],
  ['Mostrador has changed the time later', { timeMark: earlier, changedAt: at('06:59:59') }, false],
  ['both were at the same moment', { timeMark: earlier, changedAt: at('07:00:00') }, false],
  ['the event does not say when it was changed', { timeMark: earlier, changedAt: null }, false],
  ['it was refused', { timeMark: same, changedAt: at('08:00:00'), replacesEdit: true }, false],
])('whether a time in the calendar is kept when %s', (_, { timeMark, changedAt, replacesEdit }, kept) => {
  const moved = { start: at('16:00:00'), durationMinutes: 60, timeMark, changedAt };
  expect(isKept({ ...event, ...(replacesEdit && { replacesEdit }) } as CalendarEvent, moved)).toBe(kept);
});
