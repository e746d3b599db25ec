import { expect, test } from 'vitest';
import { createTokenBuckets } from './token-bucket.ts';

const buckets = () => createTokenBuckets({ maximumKeys: 100 });

test('one minute of requests passes at once, and the next one is rejected with a Retry-After', () => {
  const subject = buckets();
  for (let i = 0; i < 60; i++) expect(subject.take('a', 60, 0).allowed).toBe(true);
  expect(subject.take('a', 60, 0)).toEqual({ allowed: false, remaining: 0, fullInSeconds: 60, retryAfterSeconds: 1 });
});

test('a rejected request takes no token', () => {
  const subject = buckets();
  for (let i = 0; i < 200; i++) subject.take('a', 60, 0);
  expect(subject.take('a', 60, 1000).allowed).toBe(true);
  expect(subject.take('a', 60, 1000).allowed).toBe(false);
});

test('the bucket refills evenly and never above its capacity', () => {
  const subject = buckets();
  for (let i = 0; i < 60; i++) subject.take('a', 60, 0);
  expect(subject.take('a', 60, 30_000).remaining).toBe(29);
  expect(subject.take('a', 60, 3_600_000).remaining).toBe(59);
});

test('exactly after Retry-After one request fits', () => {
  const subject = buckets();
  expect(subject.take('a', 1, 0).allowed).toBe(true);
  const refused = subject.take('a', 1, 0);
  expect(refused.retryAfterSeconds).toBe(60);
  expect(subject.take('a', 1, 59_000).allowed).toBe(false);
  expect(subject.take('a', 1, refused.retryAfterSeconds * 1000).allowed).toBe(true);
});

test('each key has its own bucket', () => {
  const subject = buckets();
  expect(subject.take('a', 1, 0).allowed).toBe(true);
  expect(subject.take('a', 1, 0).allowed).toBe(false);
  expect(subject.take('b', 1, 0).allowed).toBe(true);
});

test('a new rate applies from the next request, and a lower rate caps the saved tokens', () => {
  const subject = buckets();
  expect(subject.take('a', 6000, 0).remaining).toBe(5999);
  expect(subject.take('a', 60, 0).remaining).toBe(59);
  expect(subject.take('a', 6000, 1000).remaining).toBe(158);
});

test('no more than rate + capacity passes in a minute, however requests are spread', () => {
  const subject = buckets();
  let passed = 0;
  for (let ms = 0; ms < 60_000; ms += 7) if (subject.take('a', 300, ms).allowed) passed++;
  expect(passed).toBeLessThanOrEqual(600);
  expect(passed).toBeGreaterThanOrEqual(598);
});

test('memory is bounded by the number of keys', () => {
  const subject = createTokenBuckets({ maximumKeys: 2 });
  expect(subject.take('a', 1, 0).allowed).toBe(true);
  subject.take('b', 1, 0);
  subject.take('c', 1, 0);
  expect(subject.take('a', 1, 0).allowed).toBe(true);
});

test('what is given back can be taken again, and a bucket never gets fuller than full', () => {
  const subject = buckets();
  for (let i = 0; i < 60; i++) subject.take('a', 60, 0);
  subject.giveBack('a', 60);
  expect(subject.take('a', 60, 0).allowed).toBe(true);
  expect(subject.take('a', 60, 0).allowed).toBe(false);
  for (let i = 0; i < 100; i++) subject.giveBack('a', 60);
  expect(subject.take('a', 60, 0).remaining).toBe(59);
});
