import { expect, test } from 'vitest';
import { isWindowOpen } from './reply-window.ts';

const at = new Date('2026-11-21T12:00:00Z');
const before = (ms: number) => new Date(at.getTime() - ms);
const dayMs = 24 * 3_600_000;

test('WhatsApp takes free text within 24 hours after the lead last wrote, and not a millisecond longer', () => {
  expect(isWindowOpen('whatsapp_cloud', at, at)).toBe(true);
  expect(isWindowOpen('whatsapp_cloud', before(dayMs - 1), at)).toBe(true);
  expect(isWindowOpen('whatsapp_cloud', before(dayMs), at)).toBe(false);
});

test('to a lead that never wrote WhatsApp takes no free text', () => {
  expect(isWindowOpen('whatsapp_cloud', null, at)).toBe(false);
});

test('the sandbox has no window', () => {
  expect(isWindowOpen('sandbox', null, at)).toBe(true);
  expect(isWindowOpen('sandbox', before(400 * dayMs), at)).toBe(true);
});
