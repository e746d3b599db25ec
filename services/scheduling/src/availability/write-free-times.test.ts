import { randomUUID } from 'node:crypto';
import { getAvailability, type NoTimeReason } from '@mostrador/contracts';
import { serializeReply } from '@mostrador/kit/rpc/server';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writeFreeTimes } from './write-free-times.ts';

const sellers = [null, randomUUID(), randomUUID()];
const instant = fc.oneof(
  fc.integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(9998, 11, 31) }),
  // As most are: on one day, at whole minutes.
  fc.integer({ min: 0, max: 1440 }).map((minute) => Date.UTC(2027, 11, 31) + minute * 60_000),
);

test('an answer is written as its schema says, whatever times it has', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ start: instant, seller_id: fc.constantFrom(...sellers) }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 1440 }),
      fc.constantFrom('America/Sao_Paulo', 'UTC'),
      fc.constantFrom<(NoTimeReason | null)[]>(null, 'full'),
      fc.constantFrom(null, '2027-01-15T12:00:00.000Z'),
      (times, duration_minutes, timezone, reason, next_from) => {
        const written = writeFreeTimes({ times, duration_minutes, timezone, reason, next_from });
        const data = times.map(({ start, seller_id }) => ({
          start: new Date(start).toISOString(),
          end: new Date(start + duration_minutes * 60_000).toISOString(),
          seller_id,
        }));
        const expected = serializeReply(getAvailability, { data, timezone, reason, next_from });
        expect(written.toString()).toBe(expected.toString());
      },
    ),
    { numRuns: 1_000 },
  );
});
