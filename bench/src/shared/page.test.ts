import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { replaceFigures } from './page.ts';

const pages = join(import.meta.dirname, '../../../docs/measurements');
const figures = join(import.meta.dirname, '../../figures');

test('a run replaces the figures of the page and nothing else', () => {
  const page = 'before\n<!-- figures: begin -->\nold\n<!-- figures: end -->\nafter';
  const once = replaceFigures(page, 'new');
  expect(once).toBe('before\n<!-- figures: begin -->\n\nnew\n\n<!-- figures: end -->\nafter');
  expect(replaceFigures(once, 'new')).toBe(once);
});

test('a page without a place for the figures is an error', () => {
  expect(() => replaceFigures('nothing', 'new')).toThrow('the page needs the comments');
});

test('every page with figures has a place for them, and all figures beside the benchmark', () => {
  const names = readdirSync(pages).filter((name) => name.endsWith('.md') && !/^(README|reliability)/.test(name));
  for (const name of names) {
    expect(replaceFigures(readFileSync(join(pages, name), 'utf8'), 'new'), name).toContain('new');
    expect(readdirSync(figures)).toContain(name);
  }
});
