import { randomUUID } from 'node:crypto';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
  // In this zone, offsets of the distant past had seconds.
  await kit.adminSql.unsafe(`alter database ${new URL(kit.url).pathname.slice(1)} set timezone to 'America/Sao_Paulo'`);
});
afterAll(() => kit?.drop());

const first = new Date('0001-01-01T00:00:00Z');
const last = new Date('9999-12-31T23:59:59.999Z');
const instant = fc.oneof(
  fc.date({ min: first, max: last, noInvalidDate: true }),
  // Years that look like days, months or two-digit years.
  fc.date({ min: first, max: new Date('0100-01-01T00:00:00Z'), noInvalidDate: true }),
  // PostgreSQL writes no zeros at the end of a fraction.
  fc
    .tuple(
      fc.date({ min: new Date('1000-01-01T00:00:00Z'), max: last, noInvalidDate: true }),
      fc.constantFrom(10, 100, 1000),
    )
    .map(([date, unitMs]) => new Date(Math.floor(date.getTime() / unitMs) * unitMs)),
);

test('an instant of any year reads as written, alone and in an array, in any time zone of the server', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(instant, { minLength: 1, maxLength: 50 }), async (instants) => {
      const texts = instants.map((at) => at.toISOString());
      const scope = { storeId: randomUUID(), deadline: Date.now() + 30_000 };
      const [row] = await kit.database.read(
        scope,
        (sql) => sql`
          select ${instants[0] as Date}::timestamptz as one, ${texts}::timestamptz[] as all,
            (select array_agg(at) from unnest(${texts}::timestamptz[]) as at) as read`,
      );
      expect(row).toEqual({ one: instants[0], all: instants, read: instants });
    }),
  );
});
