import { expect, test } from 'vitest';
import { lineChart } from './chart.ts';

const chart = (name: string) =>
  lineChart({
    title: 'Load',
    x: 'a second',
    y: 'ms',
    lines: [
      {
        name,
        points: [
          { x: 10, y: 1 },
          { x: 100, y: 10 },
          { x: 1000, y: 100 },
        ],
      },
    ],
  });

test('equal factors have equal distances, and larger values are higher up', () => {
  const points = /points="([^"]+)"/
    .exec(chart('one'))?.[1]
    ?.split(' ')
    .map((point) => point.split(',').map(Number));
  const [[x1, y1] = [], [x2, y2] = [], [x3, y3] = []] = points ?? [];
  expect((x2 ?? 0) - (x1 ?? 0)).toBeCloseTo((x3 ?? 0) - (x2 ?? 0), 0);
  expect((y1 ?? 0) - (y2 ?? 0)).toBeCloseTo((y2 ?? 0) - (y3 ?? 0), 0);
  expect(y3).toBeLessThan(y1 ?? 0);
});

test('the name of a line cannot become markup', () => {
  expect(chart('<b>&')).toContain('&lt;b&gt;&amp;');
});
