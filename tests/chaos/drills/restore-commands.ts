import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';

/** The values that an operator puts into the first lines of the commands. */
export type RestoreValues = Readonly<Record<'data' | 'base' | 'archive' | 'moment' | 'owner', string>>;

/** The commands of docs/operations/backup.md that restore to a moment, with these values in their first lines. */
export function restoreCommands(values: RestoreValues): string {
  const page = readFileSync(join(root, 'docs/operations/backup.md'), 'utf8');
  const commands = /## Restore to a moment[\s\S]*?```sh\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  return Object.entries(values).reduce((text, [name, value]) => {
    const line = new RegExp(`^${name}=.*$`, 'm');
    if (!line.test(text)) throw new Error(`The commands of backup.md have no line for ${name}.`);
    return text.replace(line, () => `${name}='${value}'`);
  }, commands);
}
