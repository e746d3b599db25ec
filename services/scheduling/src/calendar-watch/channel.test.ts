import { expect, test } from 'vitest';
import { isChannelDue } from './channel.ts';

const now = new Date('2027-01-15T12:00:00.000Z');
const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000);
const https = 'https://api.example.com';

test.each([
  ['there is none', null, null, true],
  ['it was refused half an hour ago', null, -0.5, false],
  ['it was refused two hours ago', null, -2, true],
  ['it tells for three hours more', 3, -21, false],
  ['it ends in an hour', 1, -23, true],
  ['it has ended', -1, -25, true],
])('a channel when %s', (_, expires, tried, due) => {
  const state = {
    channel_expires_at: expires === null ? null : inHours(expires),
    channel_tried_at: tried === null ? null : inHours(tried),
  };
  expect(isChannelDue(state, now, https)).toBe(due);
  expect(isChannelDue(state, now, 'http://127.0.0.1:8080')).toBe(false);
});
