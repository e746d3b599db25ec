import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fingerprintOf } from './fingerprint.ts';

/** The same value with the members of every object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  );
}

describe('a fingerprint', () => {
  test('does not depend on the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        expect(fingerprintOf(reversed(value))).toBe(fingerprintOf(value));
      }),
    );
  });

  test('differs where the values differ', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        expect(fingerprintOf(a) === fingerprintOf(b)).toBe(isDeepStrictEqual(withoutMinusZero(a), withoutMinusZero(b)));
      }),
    );
    expect(fingerprintOf([1, 2])).not.toBe(fingerprintOf([2, 1]));
    expect(fingerprintOf('60')).not.toBe(fingerprintOf(60));
    expect(fingerprintOf({ a: null })).not.toBe(fingerprintOf({}));
  });

  test('of a value nested too deep is rejected', () => {
    let deep: unknown = 1;
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(() => fingerprintOf(deep)).toThrow(expect.objectContaining({ code: 'validation_failed' }));
  });
});

/** JSON has one zero. */
const withoutMinusZero = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
