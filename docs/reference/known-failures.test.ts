import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const page = readFileSync(join(import.meta.dirname, 'known-failures.md'), 'utf8');
const failures = page
  .split(/^## /m)
  .slice(1)
  .map((section) => {
    const [failure = '', ...lines] = section.trim().split('\n');
    return { failure, items: lines.filter((line) => line.startsWith('- ')) };
  });
const testLine = /^- Test: \[[^\]]+\]\(([^)]+)\): (?:`([^`]+)`|`` (.+) ``)$/;

/** The titles of a file's tests. Skipped tests are not among them. */
function titlesIn(path: string): string[] {
  const source = readFileSync(join(import.meta.dirname, path), 'utf8');
  return [...source.matchAll(/(?:\btest\(|\)\(\s*)(['"`])(.*?)\1,/g)].map(([, , title]) => title ?? '');
}

test('the page lists failures', () => {
  expect(failures.length).toBeGreaterThan(0);
});

describe.each(failures)('$failure', ({ items }) => {
  test('names its report, and a test or an open point', () => {
    expect(items.filter((line) => /^- (Reported|Found): /.test(line)).length).toBe(1);
    expect(items.some((line) => /^- (Test|Open): /.test(line))).toBe(true);
    expect(items.filter((line) => !/^- (Reported|Found|Test|Open): /.test(line))).toEqual([]);
  });

  test('each test that it names exists', () => {
    for (const line of items.filter((item) => item.startsWith('- Test: '))) {
      const [, path = '', title, quoted] = testLine.exec(line) ?? [];
      expect(titlesIn(path), line).toContain(title ?? quoted);
    }
  });
});
