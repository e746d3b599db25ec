import { m } from '../paraglide/messages.js';

type PauseName = 'hour' | 'four_hours' | 'tomorrow';

/** For how long the AI can be paused. */
export const pauses: readonly { readonly name: PauseName; readonly words: () => string }[] = [
  { name: 'hour', words: m.inbox_pause_hour },
  { name: 'four_hours', words: m.inbox_pause_four_hours },
  { name: 'tomorrow', words: m.inbox_pause_tomorrow },
];

const hourMs = 3_600_000;
/** When the AI begins again on the next day. */
const morning = 8;

export function untilOf(name: PauseName, now: number): string {
  if (name !== 'tomorrow') return new Date(now + (name === 'hour' ? 1 : 4) * hourMs).toISOString();
  const day = new Date(now);
  return new Date(day.getFullYear(), day.getMonth(), day.getDate() + 1, morning).toISOString();
}
