import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The first executable of that name on PATH. */
export function findOnPath(name: string, env: NodeJS.ProcessEnv): string | undefined {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    if (folder === '') continue;
    const path = join(folder, name);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // not in this folder
    }
  }
  return undefined;
}
