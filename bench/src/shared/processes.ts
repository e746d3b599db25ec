import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The pids of measured processes, by their names in the tables. */
export type Named = Readonly<Record<string, number>>;

const clockTicksPerSecond = 100; // USER_HZ, which /proc uses on every kernel (proc_pid_stat(5), sysconf(_SC_CLK_TCK))

/** The process that started this one. */
export const parentOf = (pid: number): number => Number(fieldsOf(pid)[1]);

/** The resident memory of a process in megabytes. */
export function residentMb(pid: number): number {
  const [, pages = ''] = read(`/proc/${pid}/statm`).split(' ');
  return (Number(pages) * 4096) / 1024 ** 2;
}

/**
 * The memory of a process and its children in megabytes, without children in `apart`. Shared pages are divided among their
 * users.
 */
export const proportionalMb = (pid: number, apart: readonly number[] = []): number => sharesMb(pid, apart, ['Pss']);

/**
 * The same without programs and libraries, which are divided among all processes of the machine that run them. So it does
 * not change when an unrelated process starts or ends.
 */
export const proportionalDataMb = (pid: number, apart: readonly number[] = []): number =>
  sharesMb(pid, apart, ['Pss_Anon', 'Pss_Shmem']);

function sharesMb(pid: number, apart: readonly number[], kinds: readonly string[]): number {
  const kilobytes = [pid, ...childrenOf(pid, apart)].flatMap((each) => {
    const shares = read(`/proc/${each}/smaps_rollup`);
    return kinds.map((kind) => Number(new RegExp(`^${kind}: +(\\d+) kB`, 'm').exec(shares)?.[1] ?? 0));
  });
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

/** Gives every thread of a process and its children this niceness. Later threads and children inherit it. */
export function renice(pid: number, niceness: number): void {
  for (const each of [pid, ...childrenOf(pid)]) {
    for (const thread of list(`/proc/${each}/task`)) {
      try {
        setPriority(Number(thread), niceness);
      } catch {
        // The thread ended in between.
      }
    }
  }
}

/** Lets every thread of a process and its children run on this core only. Later threads and children inherit it. */
export function pin(pid: number, core: number): void {
  for (const each of [pid, ...childrenOf(pid)]) spawnSync('taskset', ['-a', '-c', '-p', String(core), String(each)]);
}

/** The processor time of each process since `cpuOfAll` gave `before`, in milliseconds for each of `count` pieces of work. */
export const cpuMsEach = (
  before: Readonly<Record<string, number>>,
  processes: Named,
  count: number,
): Record<string, number> =>
  Object.fromEntries(
    Object.entries(cpuOfAll(processes)).map(([name, seconds]) => [
      name,
      ((seconds - (before[name] ?? 0)) * 1000) / count,
    ]),
  );

/**
 * The processor seconds of each process since its start. A process counts with its children, such as PostgreSQL's for
 * each connection, except for children that have a name of their own.
 */
export function cpuOfAll(processes: Named): Record<string, number> {
  const named = Object.values(processes);
  const secondsOf = (pid: number) =>
    [pid, ...childrenOf(pid, named)].reduce((sum, each) => sum + ownCpuSeconds(each), 0);
  return Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, secondsOf(pid)]));
}

/** The processor seconds of a process, including its ended children. */
function ownCpuSeconds(pid: number): number {
  const fields = fieldsOf(pid);
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0);
  return ticks / clockTicksPerSecond;
}

function childrenOf(pid: number, apart: readonly number[] = []): number[] {
  const direct = list(`/proc/${pid}/task`)
    .flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).split(' '))
    .filter((child) => child !== '')
    .map(Number)
    .filter((child) => !apart.includes(child));
  return direct.flatMap((child) => [child, ...childrenOf(child, apart)]);
}

/** The fields of `stat` from the state on. The command before it may contain spaces and parentheses. */
function fieldsOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // the process ended in between
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
