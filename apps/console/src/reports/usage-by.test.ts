import { expect, test } from 'vitest';
import { isUsageShown, type ModelUsage, usageBy } from './usage-by.ts';

const used = (day: string, agent_id: string, model: string, calls: number): ModelUsage => ({
  ...{
    day,
    agent_id,
    model,
    calls,
    failed_calls: 1,
    input_tokens: calls * 100,
    output_tokens: calls * 10,
    cost: model === 'y' ? calls / 4 : null,
  },
});
const usage = [used('2026-01-02', 'a', 'x', 1), used('2026-01-02', 'b', 'y', 5), used('2026-01-01', 'a', 'y', 2)];

test('the use of models is added up by day, by agent or by model', () => {
  expect(usageBy('day', usage).map(({ key, calls }) => [key, calls])).toEqual([
    ['2026-01-02', 6],
    ['2026-01-01', 2],
  ]);
  expect(usageBy('agent_id', usage).map(({ cost }) => cost)).toEqual([1.25, 0.5]);
  expect(usageBy('agent_id', usage).map(({ key, calls }) => [key, calls])).toEqual([
    ['b', 5],
    ['a', 3],
  ]);
  expect(usageBy('model', usage)[0]).toEqual({
    ...{ key: 'y', calls: 7, failed_calls: 2, input_tokens: 700, output_tokens: 70, cost: 1.75 },
  });
});

test('a period of more than 92 days is not asked for', () => {
  expect(isUsageShown({ from: '2026-01-01', to: '2026-04-02' })).toBe(true);
  expect(isUsageShown({ from: '2026-01-01', to: '2026-04-03' })).toBe(false);
});
