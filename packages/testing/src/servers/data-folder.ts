import { statfsSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';

const memory = '/dev/shm';
const tmpfs = 0x0102_1994;
const neededBytes = 4 * 1024 ** 3;

/**
 * Where servers of tests keep their data: in memory, on a machine that has room there. A database has some 1,200 files,
 * and to create them on a disk takes ten times the processor time.
 */
export function dataParent(otherwise: string): string {
  try {
    const { type, bavail, bsize } = statfsSync(memory);
    if (type === tmpfs && bavail * bsize >= neededBytes) return join(memory, `mostrador-${userInfo().uid}`);
  } catch {
    // This system has no such folder.
  }
  return otherwise;
}

/** A new folder for a server of a test file, below that of the run. */
export const dataFolder = (name: string): Promise<string> =>
  mkdtemp(join(process.env.TEST_SERVER_DATA ?? tmpdir(), `mostrador-${name}-`));
