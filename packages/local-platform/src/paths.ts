import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** The clone's root. All paths start here, so the working directory does not matter. */
export const root = resolve(import.meta.dirname, '../../..');

/** The folder for a clone's data, logs and secrets. `LOCAL_DIR` moves it, so that tests do not touch the user's. */
export const localDirectory = (env: NodeJS.ProcessEnv): string => resolve(root, env.LOCAL_DIR || '.local');

/** The folder that all clones of a user share: built servers and downloaded packages. It can be deleted any time. */
export const cacheDirectory = (env: NodeJS.ProcessEnv): string =>
  join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'mostrador');
