import { describe, expect, test } from 'vitest';
import { isOpen, isUsable } from './session-rules.ts';

const at = (hours: number) => new Date(Date.UTC(2027, 0, 31) + hours * 3_600_000);

describe('a session', () => {
  const session = { now: at(0), last_seen_at: at(0), expires_at: at(24), ended_at: null, disabled_at: null };

  test('is open until it has been idle for 12 hours', () => {
    expect(isOpen({ ...session, now: at(11.999) })).toBe(true);
    expect(isOpen({ ...session, now: at(12) })).toBe(false);
  });

  test('ends at its end, however often it is used', () => {
    expect(isOpen({ ...session, now: at(23.999), last_seen_at: at(23.999) })).toBe(true);
    expect(isOpen({ ...session, now: at(24), last_seen_at: at(24) })).toBe(false);
  });

  test('ends when it is ended, and when its person is disabled', () => {
    expect(isOpen({ ...session, ended_at: at(0) })).toBe(false);
    expect(isOpen({ ...session, disabled_at: at(0) })).toBe(false);
  });
});

describe('a login link', () => {
  const link = { now: at(0), expires_at: at(1), used_at: null, disabled_at: null };

  test('works once, before it expires, and not for a disabled person', () => {
    expect(isUsable(link)).toBe(true);
    expect(isUsable({ ...link, now: at(1) })).toBe(false);
    expect(isUsable({ ...link, used_at: at(0) })).toBe(false);
    expect(isUsable({ ...link, disabled_at: at(0) })).toBe(false);
  });
});
