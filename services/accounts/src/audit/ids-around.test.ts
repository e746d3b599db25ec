import { expect, test } from 'vitest';
import { idsAround } from './ids-around.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

test('the ids of a moment reach a second to both sides', () => {
  const { first, last } = idsAround(new Date('2027-01-31T09:00:00.000Z'));
  const msOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16);
  expect([first, last].map((id) => new Date(msOf(id)).toISOString())).toEqual([
    '2027-01-31T08:59:59.000Z',
    '2027-01-31T09:00:01.000Z',
  ]);
});

test.each(['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'])('the ids around %s are UUIDs', (moment) => {
  const { first, last } = idsAround(new Date(moment));
  expect(first).toMatch(uuid);
  expect(last).toMatch(uuid);
  expect(first < last || moment.startsWith('0001')).toBe(true);
});
