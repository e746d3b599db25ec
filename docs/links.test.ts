import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsOf, deadLinks, pathsIn } from './links.ts';

const root = resolve(import.meta.dirname, '..');
const skipped = new Set(['node_modules', '.local', '.git', 'dist', 'generated', '__pycache__']);

function* pagesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory() && !skipped.has(entry.name) && !entry.name.startsWith('.venv'))
      yield* pagesBelow(join(folder, entry.name));
    if (entry.isFile() && entry.name.endsWith('.md')) yield relative(root, join(folder, entry.name));
  }
}

const pages = [...pagesBelow(root)];
const texts = new Map(pages.map((page) => [page, readFileSync(join(root, page), 'utf8')]));
const textOf = (page: string) => texts.get(page) ?? '';
/** The gateway serves a translated guide with the anchors of the English one, so that a link suits every reader. */
const anchorsIn = (page: string) => anchorsOf(textOf(page.replace(/^docs\/guides\/pt-BR\//, 'docs/guides/')));
/** These guides make an example, and name the files that it would have. */
const isExample = (page: string) => page.startsWith('docs/guides/adding-');

test('the pages are those of the whole repository', () => {
  expect(pages).toEqual(
    expect.arrayContaining([
      'README.md',
      'docs/guides/pt-BR/tour.md',
      'packages/sdk/README.md',
      'bench/figures/crm.md',
    ]),
  );
});

test.each(pages)('in %s every link, anchor, image and path of the repository exists', (page) => {
  const dead = deadLinks(textOf(page), {
    exists: (path) => existsSync(join(root, dirname(page), path)),
    existsInRepository: (path) => isExample(page) || existsSync(join(root, path)),
    hasAnchor: (path, anchor) => anchorsIn(path === '' ? page : join(dirname(page), path)).has(anchor),
  });
  expect(dead).toEqual([]);
});

test('a dead link, anchor, image and path are each found, and code is not read as a link', () => {
  const page = [
    '# A `code` heading, and more',
    '## Twice',
    '## Twice',
    'A [file](gone.md), [one](there.md), [an anchor](there.md#gone), [its own](#twice-1), [none](#twice-2),',
    '![picture](gone.png) and <img src="gone.svg"> and [outside](https://example.com/x.md#y),',
    '[ours](https://github.com/mostrador/mostrador/blob/main/docs/gone.md). See `services/gone/src` and `[a](b.md)`.',
    '```sh',
    'cat [a](gone-too.md)',
    '```',
  ].join('\n');
  const known = new Set(['there.md']);
  const dead = deadLinks(page, {
    exists: (path) => known.has(path),
    existsInRepository: () => false,
    hasAnchor: (path, anchor) => path === '' && anchorsOf(page).has(anchor),
  });
  expect(dead.toSorted()).toEqual([
    '#twice-2',
    'docs/gone.md',
    'gone.md',
    'gone.png',
    'gone.svg',
    'services/gone/src',
    'there.md#gone',
  ]);
  expect([...anchorsOf(page)]).toEqual(['a-code-heading-and-more', 'twice', 'twice-1']);
});

test('a path with braces or a star stands for several', () => {
  expect(pathsIn('`services/{crm,gateway}/src` and `docs/guides/*.md`, not `docs/…` or `npm run x`')).toEqual([
    'services/crm/src',
    'services/gateway/src',
    'docs/guides',
  ]);
});
