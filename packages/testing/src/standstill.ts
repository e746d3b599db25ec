import { Worker } from 'node:worker_threads';

/** Only a process that is stopped delays a tick so long: neither work in the main thread nor a busy machine does. */
const standstillMs = 2_000;

/** Written by a thread of its own, in milliseconds since 1970: its last tick, and the last standstill's end and length. */
const clock = new Float64Array(new SharedArrayBuffer(3 * Float64Array.BYTES_PER_ELEMENT));
const ticks = `
  const { workerData: clock } = require('node:worker_threads');
  clock[0] = Date.now();
  setInterval(() => {
    const now = Date.now();
    if (now - clock[0] > ${standstillMs}) [clock[1], clock[2]] = [now, now - clock[0]];
    clock[0] = now;
  }, 200);`;
new Worker(ticks, { eval: true, workerData: clock }).unref();

/** For how long this process stood still, the last time after `since`, in milliseconds since 1970. 0: it did not. */
export function standstillAfter(since: number): number {
  const [tickedAt = 0, endedAt = 0, forMs = 0] = clock;
  const now = Date.now();
  // It has just woken, and the thread has not ticked yet.
  if (tickedAt > 0 && now - tickedAt > standstillMs) return now - tickedAt;
  return endedAt > since ? forMs : 0;
}
