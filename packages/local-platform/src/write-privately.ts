import { renameSync, writeFileSync } from 'node:fs';

/** Atomically writes JSON that only this user may read. */
export function writePrivately(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
