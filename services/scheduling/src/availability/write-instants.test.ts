import { expect, test } from 'vitest';
import { instantWriter } from './write-instants.ts';

test('an instant is written as toISOString does, whatever was written before', () => {
  const write = instantWriter();
  const latest = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
  const edges = [0, -1, 59_999, 60_000, -60_000, 86_340_000, 86_400_000, latest, latest - 59_999, Date.UTC(-1, 0, 1)];
  const random = Array.from({ length: 2_000 }, (_, index) => {
    const instant = Math.floor((Math.random() - 0.2) * latest);
    return index % 3 === 0 ? instant : Math.floor(instant / 60_000) * 60_000;
  });
  for (const instant of [...edges, ...random].flatMap((at) =>
    [at, at + 30 * 60_000].filter((each) => each <= latest),
  )) {
    expect(write(instant)).toBe(new Date(instant).toISOString());
  }
});
