import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { expect, test } from 'vitest';
import { breaks, broken } from '../storm/breaks.ts';
import { exactBreaks } from './breaks.ts';

// `npm run chaos -- --breaks --exact` runs the tests with each break. These only check that each still fits the code.

test('every break has a unique name, and names a test', () => {
  const names = [...breaks, ...exactBreaks].map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const one of exactBreaks) expect(existsSync(join(import.meta.dirname, `${one.test}.int.test.ts`))).toBe(true);
});

test.each(exactBreaks.flatMap(({ name, edits }) => edits.map((edit) => [name, edit] as const)))(
  'the text to replace occurs exactly once in the source: %s',
  (_, edit) => {
    const source = readFileSync(join(root, edit.file), 'utf8');
    expect(broken(source, edit.file, [edit])).not.toBe(source);
  },
);
