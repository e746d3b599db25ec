import { expect, test } from 'vitest';
import { sandbox } from '../channels/sandbox/provider.ts';
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

test('the sandbox has no reply window', () => {
  expect(isWindowOpen(sandbox.replyWindowMs, null, at)).toBe(true);
  expect(isWindowOpen(sandbox.replyWindowMs, before(400 * dayMs), at)).toBe(true);
});
