import { m } from '../paraglide/messages.js';
import { dayIn, momentIn } from '../ui/clock.ts';

type PauseName = 'hour' | 'four_hours' | 'tomorrow';

/** For how long the AI can be paused. */
export const pauses: readonly { readonly name: PauseName; readonly words: () => string }[] = [
  { name: 'hour', words: m.inbox_pause_hour },
  { name: 'four_hours', words: m.inbox_pause_four_hours },
  { name: 'tomorrow', words: m.inbox_pause_tomorrow },
];

const hourMs = 3_600_000;
/** When the AI begins again on the next day, on the clock of the store. */
const morning = '08:00';

export function untilOf(name: PauseName, now: number, timeZone: string): string {
  if (name !== 'tomorrow') return new Date(now + (name === 'hour' ? 1 : 4) * hourMs).toISOString();
  const next = new Date(Date.parse(dayIn(now, timeZone)) + 24 * hourMs).toISOString().slice(0, 10);
  return new Date(momentIn(next, morning, timeZone)).toISOString();
}
