import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const lines = readFileSync(join(import.meta.dirname, 'known-failures.md'), 'utf8').split('\n');
const rows = lines
  .filter((line) => line.startsWith('|'))
  .slice(2)
  .map((line) => line.split('|').map((cell) => cell.trim()));

/** The titles of the tests of a file. One that is skipped holds nothing, and is not among them. */
function titlesIn(path: string): string[] {
  const source = readFileSync(join(import.meta.dirname, path), 'utf8');
  return [...source.matchAll(/(?:\btest\(|\)\(\s*)(['"`])(.*?)\1,/g)].map(([, , title]) => title ?? '');
}

test('the page of known failures has rows, each with four cells', () => {
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.filter((cells) => cells.length !== 6)).toEqual([]);
});

describe.each(rows.map((cells) => [cells[1] ?? '', cells[4] ?? '']))('%s', (_failure, tests) => {
  test.each(tests.split('<br>'))('the test that holds it exists: %s', (named) => {
    if (named === '`later`') return;
    const [, path, title] = /^\[[^\]]+\]\(([^)]+)\): (?:`([^`]+)`|`` .+ ``)$/.exec(named) ?? [];
    expect(path).toBeDefined();
    expect(titlesIn(path as string)).toContain(title ?? named.slice(named.indexOf('`` ') + 3, -3));
  });
});
