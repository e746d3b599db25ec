import { randomUUID } from 'node:crypto';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rowsAsJson } from './types.ts';

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

test('an instant before or after the years of the API, where a duration may lead, reads as written', async () => {
  const before = fc.date({ min: new Date('-004000-01-01T00:00:00Z'), max: first, noInvalidDate: true });
  const after = fc.date({ min: last, max: new Date('+100000-01-01T00:00:00Z'), noInvalidDate: true });
  await fc.assert(
    fc.asyncProperty(before, after, async (early, late) => {
      const scope = { storeId: randomUUID(), deadline: Date.now() + 30_000 };
      const rows = await kit.database.read(
        scope,
        (sql) => sql`
          select ${early}::timestamptz as early, ${late}::timestamptz as late
          union all select * from json_to_recordset(${rowsAsJson([{ early, late }])}::text::json)
            as one (early timestamptz, late timestamptz)`,
      );
      expect(rows).toEqual([
        { early, late },
        { early, late },
      ]);
    }),
    { numRuns: 15 },
  );
});
