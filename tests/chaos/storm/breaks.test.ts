import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { describe, expect, test } from 'vitest';
import { breaks, broken } from './breaks.ts';
import { invariants } from './invariants.ts';

// `npm run chaos -- --breaks` runs the platform with each break. These tests only check that each still fits the code.

test('every invariant has a break that it must report, and every break names an invariant', () => {
  const names = new Set(invariants.map(({ name }) => name));
  expect(new Set(breaks.map(({ breaks: name }) => name))).toEqual(names);
});

test('every break has a unique name', () => {
  expect(new Set(breaks.map(({ name }) => name)).size).toBe(breaks.length);
});

describe('the text to replace occurs exactly once in the source:', () => {
  const edits = breaks.flatMap((one) => ('edits' in one ? one.edits.map((edit) => [one.name, edit] as const) : []));
  test.each(edits)('%s', (_, edit) => {
    const source = readFileSync(join(root, edit.file), 'utf8');
    expect(broken(source, edit.file, [edit])).not.toBe(source);
  });
});

test('a text that the source has twice, or not at all, is rejected', () => {
  const edit = { file: 'a.ts', from: 'one', to: 'other' };
  expect(() => broken('one one', 'a.ts', [edit])).toThrow('2 times, not once');
  expect(() => broken('neither', 'a.ts', [edit])).toThrow('0 times, not once');
  expect(broken('this one', 'a.ts', [edit])).toBe('this other');
  expect(broken('this one', 'b.ts', [edit])).toBe('this one');
});
