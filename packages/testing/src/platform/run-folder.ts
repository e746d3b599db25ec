import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { identify } from '../../../../infra/local/process-identity.ts';

/** A folder in which every run keeps what it leaves behind when it is killed. */
export type RunFolders = {
  /** Removes the folders of runs whose process is gone. `end` is called with each before that. */
  removeDead(end?: (folder: string) => Promise<void> | void): Promise<void>;
  /** A folder for this run. A process may have several. */
  create(): string;
};

/** Run folders below `parent`, named after their process; `kept` are names that no run has. */
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
