import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the generated files of a folder, unless they are current: the folder keeps the hash of everything they are made
 * from, which is the content and the files of their makers.
 */
export async function generateInto(
  folder: string,
  { content, makers }: { content: readonly unknown[]; makers: readonly string[] },
  files: () => Promise<Readonly<Record<string, string>>>,
): Promise<void> {
  const hash = createHash('sha256')
    .update(JSON.stringify([...content, ...makers.map((file) => readFileSync(file, 'utf8'))]))
    .digest('hex');
  const stamp = join(folder, 'hash');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === hash) return;
  const made = await files();
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(made)) writeFileSync(join(folder, name), text);
  writeFileSync(stamp, hash);
}
