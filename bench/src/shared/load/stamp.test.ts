import { expect, test } from 'vitest';
import { nowUs, readStamp, stamp, unstamped } from './stamp.ts';

test('a stamp keeps the length of a body, and says the number and the time of a request', () => {
  const sentAtUs = nowUs();
  for (const index of [0, 7, 99_999_999]) {
    const body = `{"message":"Hello ${unstamped}"}`.replace(unstamped, stamp(index, sentAtUs));
    expect(body).toHaveLength(`{"message":"Hello ${unstamped}"}`.length);
    expect(readStamp(body)).toEqual({ index, sentAtUs });
  }
});

test('a text without a stamp has none', () => {
  expect(readStamp('#1@2')).toBeUndefined();
});
