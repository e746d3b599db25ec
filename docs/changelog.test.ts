import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
const [, ...releases] = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m);
const titleOf = (release: string) => release.slice(0, release.indexOf('\n'));

test('the changelog begins with what is unreleased, and its newest release is the version of this checkout', () => {
  const [unreleased, newest] = releases.map(titleOf);
  expect(unreleased).toBe('Unreleased');
  expect(newest).toMatch(/^\d+\.\d+\.\d+ - \d{4}-\d{2}-\d{2}$/);
  expect(newest?.split(' ')[0]).toBe(version);
});

test('every release says first what a rollout needs, and each item begins with what an operator touches', () => {
  for (const release of releases.filter((each) => !each.includes('\nNot released.'))) {
    const [first = ''] = release.match(/^### .*$/m) ?? [];
    expect(first, titleOf(release)).toBe('### What a rollout needs');
    const [, notes = ''] = release.split(/^### .*$/m);
    const items = notes.split('\n').filter((line) => line.startsWith('- '));
    expect(
      items.filter((item) => !/^- (\*\*[^*]+\*\*|Nothing\.)/.test(item)),
      titleOf(release),
    ).toEqual([]);
    expect(items.length, titleOf(release)).toBeGreaterThan(0);
  }
});
