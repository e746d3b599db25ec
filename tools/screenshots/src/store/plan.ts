import { demoStores } from '../../../../infra/local/demo/data.ts';
import { type Conversation, usualLines } from './conversations.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const days = 29;

/** How busy a weekday is, from Sunday. */
const busy = [1, 1, 3, 4, 4, 6, 5];

/** A number from 0 to 1 that looks like chance and is the same in every run. */
const chance = (seed: number): number => {
  const mixed = Math.imul(seed ^ (seed >>> 15), 0x2c1b3c6d) ^ Math.imul(seed + 0x9e3779b9, 0x297a2d39);
  return ((mixed ^ (mixed >>> 13)) >>> 0) / 2 ** 32;
};

type Planned = { readonly lines: Conversation['lines']; readonly lastAt: Date };

/** The conversations of the past month, more on some weekdays than on others, in opening hours. The newest is days ago. */
export function planMonth(now: Date, most: number): Planned[] {
  const planned: Planned[] = [];
  for (let back = 2; back <= days; back += 1) {
    const day = new Date(now.getTime() - back * dayMs);
    // A store that grows: there was less a month ago.
    const count = Math.round((busy[day.getUTCDay()] ?? 1) * (1.15 - back / 60) * (0.6 + 0.8 * chance(back)));
    for (let index = 0; index < count && planned.length < most; index += 1) {
      const minutes = 9 * 60 + Math.floor(chance(back * 100 + index) * 9 * 60);
      const lines = usualLines[Math.floor(chance(back * 31 + index * 7) * usualLines.length)] ?? [];
      planned.push({ lines, lastAt: atLocal(day, minutes) });
    }
  }
  return planned;
}

/** This minute of the day, on the clock of the store. */
function atLocal(day: Date, minutes: number): Date {
  const date = new Intl.DateTimeFormat('sv-SE', { timeZone: demoStores.pro.timezone }).format(day);
  return new Date(Date.parse(`${date}T00:00:00-03:00`) + minutes * minuteMs);
}

/** When each line was written. */
export function momentsOf(lines: Conversation['lines'], lastAt: Date): Date[] {
  const whole = lines.reduce((sum, [, minutes], index) => sum + (index === 0 ? 0 : minutes), 0);
  let at = lastAt.getTime() - whole * minuteMs;
  return lines.map(([, minutes], index) => {
    if (index > 0) at += minutes * minuteMs;
    // Not at the full minute, as if a clock had written it.
    return new Date(at + Math.floor(chance(index + whole) * 20_000) - 20_000);
  });
}
