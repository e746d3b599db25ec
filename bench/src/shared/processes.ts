import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Processes that are measured, by what they are called in the tables. */
export type Named = Readonly<Record<string, number>>;

const clockTicksPerSecond = 100; // of /proc, whatever the kernel's own (proc_pid_stat(5), sysconf(_SC_CLK_TCK))

/** Processor seconds that the process and its children have used: PostgreSQL has a process for each connection. */
function cpuSeconds(pid: number): number {
  return [pid, ...childrenOf(pid)].reduce((sum, each) => sum + ownCpuSeconds(each), 0);
}

/** Megabytes in memory. */
export function residentMb(pid: number): number {
  const [, pages = ''] = read(`/proc/${pid}/statm`).split(' ');
  return (Number(pages) * 4096) / 1024 ** 2;
}

/** Megabytes of the process and its children; what several share is divided among them. */
export function proportionalMb(pid: number): number {
  const kilobytes = [pid, ...childrenOf(pid)].map((each) =>
    Number(/^Pss: +(\d+) kB/m.exec(read(`/proc/${each}/smaps_rollup`))?.[1] ?? 0),
  );
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

/** Gives every thread of the process and of its children this niceness; those that come later inherit it. */
export function renice(pid: number, niceness: number): void {
  for (const each of [pid, ...childrenOf(pid)]) {
    for (const thread of list(`/proc/${each}/task`)) {
      try {
        setPriority(Number(thread), niceness);
      } catch {
        // It ended in between.
      }
    }
  }
}

/** Which processor seconds each used between two moments. */
export function cpuUsed(before: Readonly<Record<string, number>>, after: Readonly<Record<string, number>>) {
  return Object.fromEntries(Object.entries(after).map(([name, seconds]) => [name, seconds - (before[name] ?? 0)]));
}

export const cpuOfAll = (processes: Named): Record<string, number> =>
  Object.fromEntries(Object.entries(processes).map(([name, pid]) => [name, cpuSeconds(pid)]));

/** Children that ended count with their parent. */
function ownCpuSeconds(pid: number): number {
  const fields = fieldsOf(pid);
  const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0);
  return ticks / clockTicksPerSecond;
}

function childrenOf(pid: number): number[] {
  const direct = list(`/proc/${pid}/task`)
    .flatMap((thread) => read(`/proc/${pid}/task/${thread}/children`).split(' '))
    .filter((child) => child !== '')
    .map(Number);
  return direct.flatMap((child) => [child, ...childrenOf(child)]);
}

/** The fields after the command, which may itself hold spaces and parentheses: the state is the first. */
function fieldsOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // it ended in between
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
