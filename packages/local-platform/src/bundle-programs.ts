import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type PlatformProcess, processes } from '@mostrador/platform/processes';
import { type Plugin, rolldown } from 'rolldown';
import { root } from './paths.ts';
import { sourcesOfPrograms } from './programs.ts';

// Bundles the programs of all processes into the folder of the first argument. A program keeps its path, with `.mjs`.
// What several programs need is in files that they share.

/**
 * The worker loads Temporal's SDK from its own files: it has native code, a bundler for workflows, and a thread that runs
 * them. The whole of it, because a part of it in the bundle would be a second copy in memory.
 */
const sdkOfWorker = /^@temporalio\//;

const external: Plugin = {
  name: 'external',
  resolveId: {
    filter: { id: sdkOfWorker },
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

/** Node keeps a file with one character that is not ASCII in two bytes a character. */
function narrow(code: string): string {
  if (/\\[\u0080-\uffff]/.test(code)) throw new Error('A backslash stands before a wide character.');
  return code.replace(/[\u0080-\uffff]/g, (wide) => `\\u${wide.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

const [, , folder = ''] = process.argv;

async function bundle(programs: readonly PlatformProcess[], plugins: Plugin[]) {
  const build = await rolldown({
    input: Object.fromEntries(programs.map(({ program }) => [program.replace(/\.ts$/, ''), join(root, program)])),
    platform: 'node',
    tsconfig: false,
    plugins,
    onLog(_level, { message }) {
      throw new Error(message);
    },
  });
  const { output } = await build.generate({
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: 'shared/[name]-[hash].mjs',
    comments: false,
  });
  return output;
}

const isWorker = ({ kind }: PlatformProcess) => kind === 'worker';
const all = Object.values(processes);
const output = [
  ...(await bundle(
    all.filter((each) => !isWorker(each)),
    [pathsOfSources],
  )),
  ...(await bundle(all.filter(isWorker), [external, pathsOfSources])),
];
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
