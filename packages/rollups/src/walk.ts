import { quarterMs } from './quarter.ts';

const hourMs = 4 * quarterMs;
/** The longest stretch with facts. Longer stretches are always empty. */
const longestMs = 24 * hourMs;
const mostWorkMs = 5000;
const soonMs = 1000;
const lateMs = 3000;

/**
 * Walks over a span in stretches that take about a second of work each; empty stretches are as long as possible. Calls
 * `work` for each stretch, also for empty ones. `work` returns how much it found, or undefined to stop the walk.
 *
 * @returns where the walk ended: at `until`, or where it was at `endsAtMs` (epoch) or when `work` stopped it
 */
export async function walk(
  span: { readonly from: Date; readonly until: Date; readonly endsAtMs: number },
  isEmpty: (from: Date, to: Date) => Promise<boolean>,
  work: (from: Date, to: Date) => Promise<number | undefined>,
): Promise<Date> {
  const untilMs = span.until.getTime();
  let atMs = span.from.getTime();
  let stretchMs = untilMs - atMs > longestMs ? untilMs - atMs : hourMs;
  while (atMs < untilMs && Date.now() < span.endsAtMs) {
    const toMs = Math.min(atMs + stretchMs, untilMs);
    const [from, to] = [new Date(atMs), new Date(toMs)];
    if (toMs - atMs > longestMs && !(await isEmpty(from, to))) {
      const halfMs = wholeQuarters((toMs - atMs) / 2);
      stretchMs = halfMs > longestMs ? halfMs : hourMs;
      continue;
    }
    const beganMs = performance.now();
    const found = await work(from, to);
    if (found === undefined) break;
    const tookMs = performance.now() - beganMs;
    atMs = toMs;
    if (found === 0) stretchMs *= 2;
    else if (tookMs < soonMs) stretchMs = Math.min(stretchMs * 2, longestMs);
    else if (tookMs > lateMs) stretchMs = Math.max(wholeQuarters(stretchMs / 4), quarterMs);
  }
  return new Date(atMs);
}

/** When a request must stop working, so that its current stretch ends before the deadline: epoch ms. */
export const endOfWork = (deadline: number): number => Date.now() + Math.min(mostWorkMs, (deadline - Date.now()) / 2);

const wholeQuarters = (ms: number): number => Math.floor(ms / quarterMs) * quarterMs;
