import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Identifies a process uniquely. Systems reuse pids, so the start time and the boot id are part of it. */
export type ProcessIdentity = {
  pid: number;
  startTime: string;
  bootId: string;
};

/**
 * The identity of a running process; undefined when there is none, or only a zombie. A process whose first thread has ended
 * is called a zombie, too, and keeps its ports until its other threads have ended.
 */
export function identify(pid: number): ProcessIdentity | undefined {
  const found = process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  const isOver = found === undefined || (found.state.startsWith('Z') && found.threads <= 1);
  return isOver ? undefined : { pid, startTime: found.startTime, bootId: bootId() };
}

export function isRunning(identity: ProcessIdentity): boolean {
  const now = identify(identity.pid);
  return now !== undefined && now.startTime === identity.startTime && now.bootId === identity.bootId;
}

type Found = { readonly state: string; readonly startTime: string; readonly threads: number };

function fromProc(pid: number): Found | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command in parentheses may contain spaces and parentheses. The fields start after the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state: fields[0] ?? '', startTime: fields[19] ?? '', threads: Number(fields[17]) };
  } catch {
    return undefined;
  }
}

function fromPs(pid: number): Found | undefined {
  try {
    const [state = '', ...started] = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    })
      .trim()
      .split(/\s+/);
    return { state, startTime: started.join(' '), threads: 1 };
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return 'unknown';
  }
}
