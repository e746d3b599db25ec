import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { processes } from '@mostrador/platform/processes';
import { type Plugin, rolldown } from 'rolldown';
import { root } from './paths.ts';
import { sourcesOfPrograms } from './programs.ts';

// Bundles the programs of all processes into the folder of the first argument. A program keeps its path, with `.mjs`.
// What several programs need is in files that they share.

/** Native code, and Temporal's bundler for workflows, which needs its own files. */
const notBundled = /^@temporalio\/(worker|core-bridge)$/;

const external: Plugin = {
  name: 'external',
  resolveId: {
    filter: { id: notBundled },
    async handler(id, importer) {
      const resolved = await this.resolve(id, importer, { skipSelf: true });
      return resolved && { id: resolved.id, external: 'absolute' };
    },
  },
};

/** Files beside a module, such as migrations and the programs of threads, stay where they are. */
const pathsOfSources: Plugin = {
  name: 'paths of sources',
  transform: {
    filter: { code: /import\.meta\.(dirname|url)|\b__(dirname|filename)\b/ },
    handler(code, id) {
      const paths: Record<string, string> = {
        'import.meta.dirname': dirname(id),
        'import.meta.url': pathToFileURL(id).href,
        ...(/\.c?js$/.test(id) && { __dirname: dirname(id), __filename: id }),
      };
      return {
        code: code.replaceAll(/import\.meta\.(dirname|url)\b|\b__(dirname|filename)\b/g, (name) =>
          paths[name] === undefined ? name : JSON.stringify(paths[name]),
        ),
      };
    },
  },
};

/** V8 keeps a file with one wide character in two bytes a character. */
function narrow(code: string): string {
  if (/\\[\u0100-\uffff]/.test(code)) throw new Error('A backslash stands before a wide character.');
  return code.replace(/[\u0100-\uffff]/g, (wide) => `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const [, , folder = ''] = process.argv;
const entries = Object.values(processes).map(({ program }) => [program.replace(/\.ts$/, ''), join(root, program)]);
const bundle = await rolldown({
  input: Object.fromEntries(entries),
  platform: 'node',
  tsconfig: false,
  plugins: [external, pathsOfSources],
  onLog(_level, { message }) {
    throw new Error(message);
  },
});
const { output } = await bundle.generate({
  format: 'esm',
  entryFileNames: '[name].mjs',
  chunkFileNames: 'shared/[name]-[hash].mjs',
  comments: false,
});
const known = new Set(sourcesOfPrograms());
const modules = output.flatMap((part) => (part.type === 'chunk' ? part.moduleIds : []));
const unknown = modules.filter(
  (id) => id.startsWith(root) && !id.includes('/node_modules/') && !known.has(relative(root, id)),
);
if (unknown.length > 0) throw new Error(`Their changes would not be noticed: ${unknown.join(', ')}`);
for (const part of output) {
  if (part.type === 'asset') throw new Error(`${part.fileName} is no program`);
  const file = join(folder, part.fileName);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, narrow(part.code));
}
