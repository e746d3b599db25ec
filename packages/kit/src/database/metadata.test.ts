import { expect, test } from 'vitest';
import { changeMetadata } from './metadata.ts';

const before = { plan: 'gold', since: '2020' };

test('a change sets its members and keeps the others', () => {
  expect(changeMetadata(before, undefined, 100)).toBe(before);
  expect(changeMetadata(before, { plan: 'silver', new: 'x' }, 100)).toEqual({
    plan: 'silver',
    since: '2020',
    new: 'x',
  });
  expect(changeMetadata(before, { plan: null, since: '' }, 100)).toEqual({});
  expect(changeMetadata(before, null, 100)).toEqual({});
});

test('all members together are bounded, in number and in bytes of their JSON', () => {
  const many = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`m${n}`, 'x']));
  expect(Object.keys(changeMetadata(many, { m0: 'y' }, 10_000))).toHaveLength(50);
  const refused = expect.objectContaining({ code: 'validation_failed' });
  expect(() => changeMetadata(many, { more: 'x' }, 10_000)).toThrowError(refused);
  expect(changeMetadata({}, { a: 'é' }, 10)).toEqual({ a: 'é' });
  expect(() => changeMetadata({}, { a: 'éé' }, 11)).toThrowError(refused);
});
