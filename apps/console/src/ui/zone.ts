/** How far the clock of a time zone is ahead of UTC at a moment, in milliseconds. */
function offsetMs(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at);
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value);
  const clock = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
  return clock - Math.floor(at / 1000) * 1000;
}

/** What the clock of a time zone shows at a moment: `2026-11-23T09:30`, as an input of a day and a time has it. */
export function wallTime(at: string | number, timeZone: string): string {
  const moment = typeof at === 'number' ? at : Date.parse(at);
  return new Date(moment + offsetMs(moment, timeZone)).toISOString().slice(0, 16);
}

/**
 * The moment at which the clock of a time zone shows this. Undefined when it is not a day and a time. A time that spring
 * skips becomes the one as much later; of the two that autumn repeats it is the first.
 */
export function momentOf(wall: string, timeZone: string): string | undefined {
  const clock = Date.parse(`${wall}${wall.length === 10 ? 'T00:00' : ''}Z`);
  if (Number.isNaN(clock)) return undefined;
  const day = 86_400_000;
  const [before, after] = [offsetMs(clock - day, timeZone), offsetMs(clock + day, timeZone)];
  const candidates = [clock - before, clock - after].filter((at) => at + offsetMs(at, timeZone) === clock);
  return new Date(candidates.length > 0 ? Math.min(...candidates) : clock - before).toISOString();
}
