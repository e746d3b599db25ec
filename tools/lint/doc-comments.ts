import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';

const folders = ['packages', 'services', 'workflows', 'apps', 'infra', 'tools', 'tests', 'bench', 'docs'];

/** Whether a line cannot be documented: it is missing, empty, an import, the end of a block, or another comment. */
const isNothing = (line: string | undefined): boolean =>
  line === undefined || /^\s*($|import\b(?!:)|[)}\]]|\/\*|\/\/(?! biome-ignore)|export (\*|\{))/.test(line);

/** The line numbers, from 1, where a doc comment ends that documents nothing. */
export function detachedDocComments(source: string): number[] {
  const lines = source.split('\n');
  const ends = lines.flatMap((line, index) => (/^\s*\/\*\*.*\*\/\s*$|^\s*\*\/\s*$/.test(line) ? [index] : []));
  return ends
    .filter((index) => !lines[index]?.includes('@typedef') && isNothing(lines[index + 1]))
    .map((index) => index + 1);
}

if (import.meta.main) {
  const files = globSync(`{${folders.join(',')}}/**/*.{ts,mjs}`, {
    cwd: root,
    exclude: (name) => /(^|\/)(node_modules|\.local)$/.test(String(name)),
  });
  const faults = files.flatMap((file) =>
    detachedDocComments(readFileSync(join(root, file), 'utf8')).map((line) => `${file}:${line}`),
  );
  for (const fault of faults)
    console.log(`${fault} this doc comment documents nothing: put it directly above a declaration`);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
