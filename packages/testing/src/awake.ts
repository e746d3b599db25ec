const tickMs = 20;
/** What one tick counts at most: a busy machine delays a tick, and a machine that stands still delays it by seconds. */
const longestTickMs = 200;

let countedMs = 0;
let tickedAtMs = performance.now();

const tick = () => {
  const nowMs = performance.now();
  countedMs += Math.min(nowMs - tickedAtMs, longestTickMs);
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
