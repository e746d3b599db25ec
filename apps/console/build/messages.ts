import { join } from 'node:path';
import { compile } from '@inlang/paraglide-js';

const folder = join(import.meta.dirname, '..');

/** Compiles the texts of `messages` to `src/paraglide`: one typed function a text. */
export async function compileMessages(): Promise<void> {
  await compile({
    project: join(folder, 'project.inlang'),
    outdir: join(folder, 'src/paraglide'),
    strategy: ['localStorage', 'preferredLanguage', 'baseLocale'],
    localStorageKey: 'mostrador.language',
    isServer: 'false',
    emitReadme: false,
  });
}
