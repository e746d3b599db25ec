import { expect, test } from 'vitest';
import { detachedDocComments } from './doc-comments.ts';

test.each([
  ['a blank line', '/** A page. */\n\nexport const page = 1;'],
  ['the end of the file', 'const a = 1;\n/** A page. */'],
  ['an import', "/**\n * A page.\n */\nimport './page.ts';"],
  ['the end of a block', 'const page = {\n  /** A page. */\n};'],
  ['another comment', '/** A page. */\n// of a list\nconst page = 1;'],
])('a doc comment above %s is found', (_what, source) => {
  expect(detachedDocComments(source)).toHaveLength(1);
});

test('a doc comment above a declaration, a member or a parameter is attached', () => {
  const source = `
/** A page. */
export type Page = {
  /** From 1. */
  readonly number: number;
  /** Named as a keyword. */
  import: string;
};
/**
 * Reads it.
 */
export function read(
  /** Where. */
  path: string,
) {}
const text = '/** not a comment */';
const pages = {
  /** Takes one in. */
  import: read,
};
`;
  expect(detachedDocComments(source)).toEqual([]);
});
