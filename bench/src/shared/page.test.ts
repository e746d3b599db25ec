import { expect, test } from 'vitest';
import { replacePart, toJson } from './page.ts';

test('a run replaces its own part of the page and nothing else', () => {
  const page = 'before\n<!-- load: begin -->\nold\n<!-- load: end -->\nafter';
  const once = replacePart(page, 'load', 'new');
  expect(once).toBe('before\n<!-- load: begin -->\n\nnew\n\n<!-- load: end -->\nafter');
  expect(replacePart(once, 'load', 'new')).toBe(once);
});

test('a page without the part is refused', () => {
  expect(() => replacePart('nothing', 'load', 'new')).toThrow('load');
});

test('raw numbers keep their names and five figures', () => {
  expect(JSON.parse(toJson({ rounds: new Map([['GET', [1 / 3, 123_456]]]) }))).toEqual({
    rounds: { GET: [0.33333, 123_456] },
  });
});
