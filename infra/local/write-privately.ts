import { renameSync, writeFileSync } from 'node:fs';

/** Writes JSON that only this user may read, whole or not at all. */
export function writePrivately(file: string, value: unknown): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
