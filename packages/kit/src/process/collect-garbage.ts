import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** After its start a process has run its first checks and jobs by then. */
const firstAfterMs = 5_000;
const everyMs = 30_000;

/** What a process has done since the last look, and holds since the last collection. */
type HeapUse = { readonly busyShare: number; readonly grownBytes: number };

/** Whether a collection, some 20 to 50 ms, delays no work and frees enough. */
export const isWorthCollecting = ({ busyShare, grownBytes }: HeapUse): boolean =>
  busyShare < 0.02 && grownBytes > 4 * 1024 ** 2;

/**
 * Frees what is not in use a moment after the start, and from then on whenever the process is idle. After its start a
 * process holds 20 to 30 MB of garbage, from compiling modules and schemas, and after a load what requests have left. V8
 * frees it only when much more has come, which an idle process may never allocate.
 */
export function collectGarbageWhenIdle(): void {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  let used = 0;
  const collectNow = (flavor: 'regular' | 'last-resort') => {
    collect({ type: 'major', execution: 'sync', flavor });
    used = getHeapStatistics().used_heap_size;
  };
  let busy = process.cpuUsage();
  let atMs = performance.now();
  const look = () => {
    const { user, system } = process.cpuUsage(busy);
    const busyShare = (user + system) / 1000 / (performance.now() - atMs);
    if (isWorthCollecting({ busyShare, grownBytes: getHeapStatistics().used_heap_size - used })) collectNow('regular');
    busy = process.cpuUsage();
    atMs = performance.now();
  };
  // `last-resort` also frees compiled code that only the start needed.
  setTimeout(() => collectNow('last-resort'), firstAfterMs).unref();
  setInterval(look, everyMs).unref();
}
