import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The clone's root: everything below is addressed from here, whatever the working directory. */
export const root = resolve(import.meta.dirname, '../..');

/** What one clone keeps between starts: data, logs, secrets. `LOCAL_DIR` moves it, so that tests leave the user's alone. */
export const localDirectory = (env: NodeJS.ProcessEnv): string => resolve(root, env.LOCAL_DIR || '.local');

/** What all clones of one user share: built servers and downloaded packages. Nothing here is needed to be kept. */
export const cacheDirectory = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mostrador');
