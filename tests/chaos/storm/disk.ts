import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** A disk of a fixed size that a fault can fill to the last byte. */
export type SmallDisk = {
  fill(): void;
  free(): void;
};

const pieceBytes = 1024 * 1024;
const leastPieceBytes = 4096;

/** Mounts a tmpfs, which needs Linux and root. Returns the reason as a text where that is not possible. */
export function mountSmallDisk(folder: string, megabytes: number): SmallDisk | string {
  mkdirSync(folder, { recursive: true });
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=0755`, 'tmpfs', folder], {
    encoding: 'utf8',
  });
  if (mounted.status !== 0) return mounted.error?.message ?? mounted.stderr.trim();
  const ballast = join(folder, 'ballast');
  return {
    fill() {
      const file = openSync(ballast, 'a');
      try {
        for (let bytes = pieceBytes; bytes >= leastPieceBytes; ) {
          try {
            writeSync(file, Buffer.alloc(bytes, 1));
          } catch (error) {
            if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
            bytes /= 2;
          }
        }
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(ballast, { force: true }),
  };
}

/** Unmounts the folder. Does nothing when nothing is mounted there. */
export function unmount(folder: string): void {
  spawnSync('umount', ['--lazy', folder]);
}
