import fc from 'fast-check';
import { expect, test } from 'vitest';
import { replyWindowMsOf } from '../channels/providers.ts';
import { whatsapp } from '../channels/whatsapp/provider.ts';
import { isWindowOpen, lastOpener, type WindowOpeners, windowExpiresAt } from './reply-window.ts';

const at = new Date('2026-11-21T12:00:00Z');
const before = (ms: number) => new Date(at.getTime() - ms);
const dayMs = 24 * 3_600_000;
const never = { last_inbound_at: null, called_at: null };
const wrote = (last_inbound_at: Date) => ({ ...never, last_inbound_at });

test.each(['last_inbound_at', 'called_at'] as const)(
  'WhatsApp accepts free text for exactly 24 hours after `%s`',
  (what) => {
    const isOpen = (moment: Date) => isWindowOpen(whatsapp.replyWindowMs, { ...never, [what]: moment }, at);
    expect([at, before(dayMs - 1), before(dayMs)].map(isOpen)).toEqual([true, true, false]);
  },
);

test('WhatsApp accepts no free text to a lead that never wrote or called', () => {
  expect(isWindowOpen(whatsapp.replyWindowMs, never, at)).toBe(false);
  expect(windowExpiresAt(whatsapp.replyWindowMs, never)).toBeNull();
  expect(lastOpener(never)).toBeNull();
});

const moment = fc.option(
  fc.integer({ min: -3 * dayMs, max: 3 * dayMs }).map((ms) => before(ms)),
  { nil: null },
);

test('the later one of a message and a call opens the window, and the earlier one changes nothing', () => {
  const check = (last_inbound_at: Date | null, called_at: Date | null, windowMs: number) => {
    const openers: WindowOpeners = { last_inbound_at, called_at };
    const moments = [last_inbound_at, called_at].flatMap((one) => (one ? [one.getTime()] : []));
    const end = moments.length === 0 ? null : Math.max(...moments) + windowMs;
    expect(windowExpiresAt(windowMs, openers)?.getTime() ?? null).toBe(end);
    expect(isWindowOpen(windowMs, openers, at)).toBe(end !== null && at.getTime() < end);
    const opener = lastOpener(openers);
    expect(opener?.at).toEqual((opener?.by === 'call' ? called_at : last_inbound_at) ?? undefined);
    expect(isWindowOpen(null, openers, at)).toBe(true);
    expect(windowExpiresAt(null, openers)).toBeNull();
  };
  fc.assert(fc.property(moment, moment, fc.integer({ min: 1, max: 2 * dayMs }), check));
});

test('the sandbox has no reply window, unless its channel holds one', () => {
  const windowMs = (reply_window_minutes: number | null) =>
    replyWindowMsOf({ provider: 'sandbox', reply_window_minutes });
  expect(isWindowOpen(windowMs(null), never, at)).toBe(true);
  expect(isWindowOpen(windowMs(null), wrote(before(400 * dayMs)), at)).toBe(true);
  expect(windowMs(1440)).toBe(whatsapp.replyWindowMs);
  expect(isWindowOpen(windowMs(2), wrote(before(119_999)), at)).toBe(true);
  expect(isWindowOpen(windowMs(2), wrote(before(120_000)), at)).toBe(false);
});
