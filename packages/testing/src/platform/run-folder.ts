import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { identify } from '@mostrador/local-platform/process-identity';

/** Folders for the files of each run. A later run removes those of a killed one. */
export type RunFolders = {
  /** Removes the folders of runs whose process no longer exists. Calls `end` with each folder first. */
  removeDead(end?: (folder: string) => Promise<void> | void): Promise<void>;
  /** Creates a folder for this run. A process may create several. */
  create(): string;
};

/** Run folders below `parent`, named after their process id. `kept` are names of other entries, which stay. */
export function runFolders(parent: string, kept: readonly string[] = []): RunFolders {
  mkdirSync(parent, { recursive: true });
  return {
    async removeDead(end) {
      for (const name of readdirSync(parent)) {
        if (kept.includes(name) || identify(Number.parseInt(name, 10))) continue;
        await end?.(join(parent, name));
        rmSync(join(parent, name), { recursive: true, force: true });
      }
    },
    create: () => mkdtempSync(join(parent, `${process.pid}.`)),
  };
}
