import { createMetrics } from '@mostrador/kit/process/metrics';
import { expect, test } from 'vitest';
import { countGoogleRequests, googleMetrics } from './quota.ts';

test('each request counts, and the busiest account of this minute or the one before is told', async () => {
  const metrics = createMetrics('scheduling');
  const clock = { now: 600_000 };
  const count = countGoogleRequests(metrics, () => clock.now);
  const value = async (name: string, label = '') => {
    const line = (await metrics.text()).split('\n').find((each) => each.startsWith(`${name}{`) && each.includes(label));
    return Number(line?.split(' ').at(-1));
  };
  const busiest = () => value(googleMetrics.busiestAccount.name);
  const [ana, rui] = ['ana', 'rui'].map((refreshToken) => ({ clientId: 'client', refreshToken }));
  if (!ana || !rui) throw new Error('two accounts');
  for (const result of ['answered', 'answered', 'limited'] as const) count(ana, result);
  count(rui, 'failed');
  expect(await value(googleMetrics.requests.name, 'result="answered"')).toBe(2);
  expect(await value(googleMetrics.requests.name, 'result="limited"')).toBe(1);
  expect(await value(googleMetrics.requests.name, 'result="failed"')).toBe(1);
  expect(await busiest()).toBe(3);
  clock.now += 60_000;
  count(ana, 'answered');
  expect(await busiest()).toBe(3);
  clock.now += 60_000;
  expect(await busiest()).toBe(1);
  clock.now += 600_000;
  expect(await busiest()).toBe(0);
});
