import * as contracts from '@mostrador/contracts';
import type { TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { compile } from './compile.ts';

/** Every schema with a pattern inside of a value, by its pattern. */
function patternsIn(value: unknown, seen: Set<unknown>, found: Map<string, TSchema>): Map<string, TSchema> {
  if (typeof value !== 'object' || value === null || seen.has(value)) return found;
  seen.add(value);
  if ('pattern' in value && typeof value.pattern === 'string') {
    const { pattern, fault } = value as unknown as TSchema;
    found.set(`${fault ?? ''} ${pattern}`, value as unknown as TSchema);
  }
  for (const member of Object.values(value)) patternsIn(member, seen, found);
  return found;
}

const schemas = [...patternsIn({ ...contracts }, new Set(), new Map()).values()];

test.each(schemas.map((schema) => [schema.pattern, schema]))(
  'what matches not %s is told what is allowed',
  (_, schema) => {
    const wrong = [',', '\u0000', '', '#', ' '].find((text) => !new RegExp(schema.pattern).test(text)) as string;
    const details = compile({ type: 'object', properties: { it: { ...schema, minLength: 0 } } } as unknown as TSchema)({
      it: wrong,
    }).map(({ detail }) => detail);
    expect(details).toContainEqual(
      expect.stringMatching(/^(must (be|have) [^^$]+|has an .+; must be one or several of: .+)$/s),
    );
  },
);

test('the contracts have patterns', () => {
  expect(schemas.length).toBeGreaterThan(15);
});
