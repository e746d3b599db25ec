const tickMs = 20;
/** What one tick counts at most: a busy machine delays a tick, and a machine that stands still delays it by seconds. */
const longestTickMs = 200;

let [countedMs, stillMs] = [0, 0];
let tickedAtMs = performance.now();

const tick = () => {
  const nowMs = performance.now();
  const passedMs = nowMs - tickedAtMs;
  countedMs += Math.min(passedMs, longestTickMs);
  stillMs += Math.max(0, passedMs - longestTickMs);
  tickedAtMs = nowMs;
};
setInterval(tick, tickMs).unref();

/**
 * Milliseconds on a clock that stands still when the machine does. A guarantee in seconds is measured with it, because
 * a test runs beside the processes that it asks: what stops them stops it too.
 */
export function awakeMs(): number {
  tick();
  return countedMs;
}

/** Whether the machine stood still for over a second during the work: then the work may lose answers that it waits for. */
export async function stoodStillDuring(work: () => Promise<unknown>): Promise<boolean> {
  tick();
  const beforeMs = stillMs;
  await work();
  tick();
  return stillMs - beforeMs > 1_000;
}
