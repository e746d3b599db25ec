import { expect, test } from 'vitest';
import { createStorePaces } from './store-pace.ts';

const paces = () => createStorePaces({ maximumStores: 100 });

/** Takes `count` turns at one moment, while another store is active. */
function takeBeside(subject: ReturnType<typeof paces>, count: number, nowMs: number, requestsPerMinute = 6000) {
  return Array.from({ length: count }, () => {
    subject.take('other', 6000, nowMs);
    return subject.take('busy', requestsPerMinute, nowMs);
  });
}

const waits = (turns: ReturnType<typeof takeBeside>) => turns.map((turn) => (turn.starts ? turn.waitMs : 'rejected'));

test('a store that is alone never waits', () => {
  const subject = paces();
  for (let i = 0; i < 6000; i++) expect(subject.take('busy', 6000, 0)).toEqual({ starts: true, waitMs: 0 });
});

test('beside another store, a second’s worth of requests starts at once, and the next ones evenly', () => {
  const turns = waits(takeBeside(paces(), 103, 0));
  expect(turns.slice(0, 100)).toEqual(Array(100).fill(0));
  expect(turns.slice(100)).toEqual([10, 20, 30]);
});

test('the other store does not wait', () => {
  const subject = paces();
  takeBeside(subject, 300, 0);
  expect(subject.take('other', 60, 0)).toEqual({ starts: true, waitMs: 0 });
});

test('a request that would wait more than 10 s is rejected, and takes no turn', () => {
  const subject = paces();
  const turns = takeBeside(subject, 1200, 0);
  expect(waits(turns).slice(1098, 1102)).toEqual([9990, 10_000, 'rejected', 'rejected']);
  expect(turns.at(-1)).toEqual({ starts: false, retryAfterSeconds: 11 });
  expect(waits(takeBeside(subject, 2, 10))).toEqual([10_000, 'rejected']);
});

test('all 300 requests of a `starter` bucket start', () => {
  expect(waits(takeBeside(paces(), 301, 0, 300)).slice(299)).toEqual([10_000, 'rejected']);
});

test('exactly after Retry-After a request fits again', () => {
  const subject = paces();
  takeBeside(subject, 1200, 0);
  expect(waits(takeBeside(subject, 1, 11_000))).toEqual([0]);
});

test('a store with a small rate has 100 requests at once and 20 a second', () => {
  const turns = waits(takeBeside(paces(), 102, 0, 60));
  expect(turns.slice(0, 100)).toEqual(Array(100).fill(0));
  expect(turns.slice(100)).toEqual([50, 100]);
});

test('a store waits no more when the others have sent nothing for ten seconds', () => {
  const subject = paces();
  subject.take('other', 6000, 0);
  for (let i = 0; i < 500; i++) subject.take('busy', 6000, 9_000);
  expect(subject.take('busy', 6000, 10_000)).toEqual({ starts: true, waitMs: 3010 });
  expect(subject.take('busy', 6000, 10_001)).toEqual({ starts: true, waitMs: 0 });
});

test('memory is bounded by the number of stores', () => {
  const subject = createStorePaces({ maximumStores: 2 });
  takeBeside(subject, 300, 0);
  subject.take('third', 6000, 0);
  subject.take('fourth', 6000, 0);
  expect(subject.take('busy', 6000, 0)).toEqual({ starts: true, waitMs: 0 });
});
