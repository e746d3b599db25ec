import { expect, test } from 'vitest';
import { replyWindowMsOf } from '../channels/providers.ts';
import { whatsapp } from '../channels/whatsapp/provider.ts';
import { isWindowOpen } from './reply-window.ts';

const at = new Date('2026-11-21T12:00:00Z');
const before = (ms: number) => new Date(at.getTime() - ms);
const dayMs = 24 * 3_600_000;

test('WhatsApp accepts free text for exactly 24 hours after the lead last wrote', () => {
  expect(isWindowOpen(whatsapp.replyWindowMs, at, at)).toBe(true);
  expect(isWindowOpen(whatsapp.replyWindowMs, before(dayMs - 1), at)).toBe(true);
  expect(isWindowOpen(whatsapp.replyWindowMs, before(dayMs), at)).toBe(false);
});

test('WhatsApp accepts no free text to a lead that never wrote', () => {
  expect(isWindowOpen(whatsapp.replyWindowMs, null, at)).toBe(false);
});

test('the sandbox has no reply window, unless its channel holds one', () => {
  const windowMs = (reply_window_minutes: number | null) =>
    replyWindowMsOf({ provider: 'sandbox', reply_window_minutes });
  expect(isWindowOpen(windowMs(null), null, at)).toBe(true);
  expect(isWindowOpen(windowMs(null), before(400 * dayMs), at)).toBe(true);
  expect(windowMs(1440)).toBe(whatsapp.replyWindowMs);
  expect(isWindowOpen(windowMs(2), before(119_999), at)).toBe(true);
  expect(isWindowOpen(windowMs(2), before(120_000), at)).toBe(false);
});
