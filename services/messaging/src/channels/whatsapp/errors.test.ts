import { describe, expect, test } from 'vitest';
import { channelErrorOf, failureOf, type WhatsappError } from './errors.ts';

/** Each error code that a send can meet, by whose fault it is. Statuses are those with which Meta sends the code. */
const codes: Readonly<Record<string, readonly WhatsappError[]>> = {
  channel: [
    ...[{ code: 0, status: 401 }, { code: 102 }, { code: 190, status: 401 }, { code: 999_999, status: 401 }],
    ...[
      { code: 3, status: 500 },
      { code: 10, status: 403 },
      { code: 200 },
      { code: 299 },
      { code: 131005, status: 403 },
    ],
    ...[{ code: 33 }, { code: 100, subcode: 33 }, { code: 131045, status: 500 }, { code: 133010 }, { code: 133005 }],
    ...[{ code: 368, status: 403 }, { code: 131031, status: 403 }, { code: 131042 }, { code: 131037 }],
  ],
  refused: [
    ...[{ code: 100 }, { code: 131008 }, { code: 131009 }, { code: 131021 }, { code: 131026 }, { code: 131030 }],
    ...[{ code: 131047 }, { code: 131049 }, { code: 131050 }, { code: 131051 }, { code: 131053 }, { code: 130472 }],
    ...[{ code: 130497, status: 403 }, { code: 132000 }, { code: 132001 }, { code: 132015 }, { code: 132999 }],
    ...[{ code: 135000 }, { code: 999_999 }, { code: 999_999, status: 403 }],
  ],
  throttled: [
    ...[{ code: 4 }, { code: 80007 }, { code: 130429 }, { code: 131056 }, { code: 131048 }, { code: 131057 }],
    { code: 999_999, status: 429 },
  ],
  not_sent: [{ code: 2 }, { code: 131000 }, { code: 131016 }, { code: 133004 }, { code: 999_999, status: 503 }],
};
const cases = Object.entries(codes).flatMap(([kind, errors]) => errors.map((error) => ({ kind, error })));

describe('an error code', () => {
  test.each(cases)('$error is $kind in an answer', ({ kind, error }) => {
    expect(channelErrorOf({ status: 400, ...error }).kind).toBe(kind);
  });

  test.each([190, 131026, 131042, 130429])('%i counts whatever HTTP status it comes with', (code) => {
    const kinds = [400, 401, 429, 500].map((status) => channelErrorOf({ code, status }).kind);
    expect(new Set(kinds).size).toBe(1);
  });

  // An unknown code says nothing without a status.
  test.each(cases.filter(({ error }) => error.code !== 999_999))(
    '$error of a status update stops the channel exactly if it is the fault of the channel',
    ({ kind, error }) => {
      // A status update has no subcode.
      expect(failureOf(error.code).ofChannel ?? false).toBe(kind === 'channel' && !('subcode' in error));
    },
  );

  test('of the channel is no outage of WhatsApp, and one of its servers is', () => {
    expect(channelErrorOf({ code: 3, status: 500 }).outage).toBe(false);
    expect(channelErrorOf({ code: 131016, status: 503 }).outage).toBe(true);
  });
});
