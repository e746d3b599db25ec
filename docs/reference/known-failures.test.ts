import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const page = readFileSync(join(import.meta.dirname, 'known-failures.md'), 'utf8');
const failures = page.split('\n').flatMap((line) => (line.startsWith('- ') ? [[line.slice(2)]] : []));

/** The titles of a file's tests. Skipped tests are not among them. */
function titlesIn(path: string): string[] {
  const source = readFileSync(join(import.meta.dirname, path), 'utf8');
  return [...source.matchAll(/(?:\btest\(|\)\(\s*)(['"`])(.*?)\1,/g)].map(([, , title]) => title ?? '');
}

test('the page lists failures', () => {
  expect(failures.length).toBeGreaterThan(50);
});

test.each(failures)('%s: names a test that exists, or what is open', (failure) => {
  const tests = [...failure.matchAll(/\[([^\]]+)\]\((\.\.\/[^)]+)\)/g)];
  for (const [, title, path = ''] of tests) expect(titlesIn(path)).toContain(title);
  expect(tests.length > 0 || failure.includes(' Open: ')).toBe(true);
});
