import { constants } from 'node:fs';
import { mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../exit.ts';

/** The folder when `--folder` is left out. */
export const defaultFolder = 'secrets';

/** A file `<holder>/<variable>`: one secret, for one program. The holder is the folder that this program may read. */
export type SecretFile = { readonly holder: string; readonly variable: string };

export const pathOf = ({ holder, variable }: SecretFile): string => join(holder, variable);

/** The text of a file without the newline at its end, or undefined when there is none. Throws when it cannot be read. */
export async function readSecret(folder: string, file: SecretFile): Promise<string | undefined> {
  try {
    return (await readFile(join(folder, pathOf(file)), 'utf8')).trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new Error(`${join(folder, pathOf(file))} cannot be read (${code})`);
  }
}

/** The text of a file that must exist. */
export async function requiredSecret(folder: string, file: SecretFile): Promise<string> {
  const text = await readSecret(folder, file);
  if (text) return text;
  throw new UsageError([
    `${join(folder, pathOf(file))} is missing or empty: \`secrets generate\` writes it, and --folder names its folder`,
  ]);
}

/** Writes a file that only this user may read. It never overwrites one: throws when it exists. */
export async function writeSecret(folder: string, file: SecretFile, text: string): Promise<void> {
  const path = join(folder, pathOf(file));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const handle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    await handle.writeFile(`${text}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Writes a file that is made from the others, in place of an earlier one. */
export async function replacePrivately(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Throws when other users of the machine may enter a folder that exists. */
export async function refuseOpenFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found && (found.mode & 0o077) !== 0) {
    throw new UsageError([`other users may read ${folder}: close it with chmod 700, or choose another --folder`]);
  }
}
