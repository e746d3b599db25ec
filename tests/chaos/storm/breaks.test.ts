import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from '../../../infra/local/paths.ts';
import { breaks, broken } from './breaks.ts';
import { invariants } from './invariants.ts';

// `npm run chaos -- --breaks` runs the platform with each of these; here is only held that they still fit the code.

test('every invariant has a break of the code that it must report, and every break an invariant', () => {
  const names = new Set(invariants.map(({ name }) => name));
  expect(new Set(breaks.map(({ breaks: name }) => name))).toEqual(names);
});

test('every break has a name of its own', () => {
  expect(new Set(breaks.map(({ name }) => name)).size).toBe(breaks.length);
});

describe('fits the code as it is:', () => {
  const edits = breaks.flatMap((one) => ('edits' in one ? one.edits.map((edit) => [one.name, edit] as const) : []));
  test.each(edits)('%s', (_, edit) => {
    const source = readFileSync(join(root, edit.file), 'utf8');
    expect(broken(source, edit.file, [edit])).not.toBe(source);
  });
});

test('a text that stands in the code twice, or no more, is refused', () => {
  const edit = { file: 'a.ts', from: 'one', to: 'other' };
  expect(() => broken('one one', 'a.ts', [edit])).toThrow('stands 2 times');
  expect(() => broken('neither', 'a.ts', [edit])).toThrow('stands 0 times');
  expect(broken('this one', 'a.ts', [edit])).toBe('this other');
  expect(broken('this one', 'b.ts', [edit])).toBe('this one');
});
