import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { fileVariable, type ProgramName, type Variable, variablesOf } from '../../packages/platform/src/environment.ts';
import { natsUsers, passwordVariable } from '../../packages/platform/src/servers.ts';
import { publicPaths } from '../../tests/fuzz/public-paths.ts';
import { configs as configOf } from '../../tools/platform/environment.ts';
import { referencePages } from './pages.ts';

const docs = resolve(import.meta.dirname, '..');
const root = resolve(docs, '..');

test.each(Object.entries(referencePages()))('docs/reference/%s is current with the contracts', (name, text) => {
  expect(readFileSync(join(import.meta.dirname, name), 'utf8')).toBe(text);
});

test('every test file and folder of the guarantees exists', () => {
  const paths = readFileSync(join(docs, 'guarantees.md'), 'utf8').matchAll(/`([\w-]+\/[^`]+)`/g);
  const named = [...paths].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

/** The schemas of what each process reads from its environment. */
const configs = Object.values(configOf);
/** What else reads its environment, outside tests. */
const readers = ['apps/admin/src', 'infra/local', 'packages/kit/src', 'packages/local-platform/src'];
/** Variables of other programs, and those of the tests. */
const foreign =
  /^(CI|GOENV|GOPATH|HOME|NODE_\w+|NO_COLOR|PATH|TEST_\w+|XDG_(CONFIG|DATA)_HOME|npm_lifecycle_event|(npm|pnpm)_config_\w+)$/;

function variables(): Set<string> {
  const names = configs.flatMap((schema) => Object.keys(schema.properties));
  for (const folder of readers) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    for (const file of files.filter((name) => /\.(ts|mjs)$/.test(name) && !name.includes('.test.'))) {
      const found = readFileSync(join(root, folder, file), 'utf8').matchAll(/\benv(?:\.|, ')([A-Za-z]\w+)/g);
      names.push(...[...found].map(([, name = '']) => name).filter((name) => !foreign.test(name)));
    }
  }
  return new Set([...names, ...natsUsers.map(passwordVariable)]);
}

/** The variables that name the file of a secret one. `npm start` reads those of the servers. */
function fileVariables(): string[] {
  const secret = configs.flatMap(({ properties }) =>
    Object.entries<{ secret?: boolean }>(properties).flatMap(([name, member]) => (member.secret ? [name] : [])),
  );
  return [...new Set([...secret, 'POSTGRES_URL'])].map(fileVariable);
}

test('the configuration page has every variable that the code reads, and no other', () => {
  const page = readFileSync(join(import.meta.dirname, 'configuration.md'), 'utf8');
  const named = new Set([...page.matchAll(/`([A-Z][A-Z0-9_]+)(?:=[^`]*)?`/g)].map(([, name = '']) => name));
  const read = variables();
  expect(read.size).toBeGreaterThan(60);
  expect([...read].filter((name) => !named.has(name))).toEqual([]);
  expect(fileVariables().filter((name) => !named.has(name))).toEqual([]);
  const others = ['SIGTERM', 'NODE_EXTRA_CA_CERTS', ...fileVariables()];
  expect([...named].filter((name) => !read.has(name) && !others.includes(name))).toEqual([]);
});

test('the configuration page has every path that the gateway serves', () => {
  const page = readFileSync(join(import.meta.dirname, 'configuration.md'), 'utf8');
  const tops = new Set(publicPaths.map((path) => /^\/[^/]+/.exec(path)?.[0] ?? path));
  expect(tops.size).toBeGreaterThan(8);
  expect([...tops].filter((path) => !page.includes(`\`${path}`))).toEqual([]);
});

test('the page of the configuration says what each variable means, and each of its choices', () => {
  const rows = (referencePages()['configuration.md'] ?? '').split('\n').filter((line) => line.startsWith('| `'));
  const isOn = ({ name, description = '', choices = [] }: Variable) => {
    const texts = [description.replace(/\.$/, ''), ...choices.map((choice) => `\`${choice}\``)];
    return rows.some((row) => row.startsWith(`| \`${name}\` `) && texts.every((text) => row.includes(text)));
  };
  const all = (Object.keys(configOf) as ProgramName[]).flatMap(variablesOf);
  const found = new Set(all.filter(isOn).map(({ name }) => name));
  expect(all.filter(({ name }) => !found.has(name))).toEqual([]);
});
