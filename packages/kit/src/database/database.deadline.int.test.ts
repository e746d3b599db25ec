import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TransactionSql } from './database.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
});
afterAll(() => kit?.drop());

/** This process stands still: no timer of it fires. */
const standStill = (ms: number) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
const addNote = (sql: TransactionSql, storeId: string, text: string) =>
  sql`insert into notes (store_id, text) values (${storeId}, ${text})`;
const textsOf = async (storeId: string) =>
  (await kit.adminSql`select text from notes where store_id = ${storeId} order by text`).map(({ text }) => text);

/** The clock of this process is ahead of PostgreSQL's meanwhile. */
async function withClockAhead<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const realNow = Date.now;
  Date.now = () => realNow() + ms;
  return await work().finally(() => {
    Date.now = realNow;
  });
}

test('a commit that comes after its deadline has no effect, and one before it has, whatever the clocks show', async () => {
  const stalls = fc.record({
    isLate: fc.boolean(),
    aheadMs: fc.constantFrom(-3_600_000, -1_900, 0, 1_900, 3_600_000),
    isWithCommit: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(stalls, ({ isLate, aheadMs, isWithCommit }) =>
      withClockAhead(aheadMs, async () => {
        const storeId = randomUUID();
        await kit.database.read({ storeId, deadline: Date.now() + 30_000 }, (sql) => sql`select 1`);
        const scope = { storeId, deadline: Date.now() + (isLate ? 100 : 20_000) };
        const outcome = await kit.database
          .write(scope, async (sql) => {
            await addNote(sql, storeId, 'first');
            standStill(150);
            if (isWithCommit) sql.withCommit(addNote(sql, storeId, 'second'));
          })
          .then(
            () => 'done',
            ({ code }) => code,
          );
        expect(outcome).toEqual(isLate ? expect.stringMatching(/^(upstream_timeout|service_unavailable)$/) : 'done');
        // A lock that its transaction still has would be waited for.
        await kit.adminSql`select from notes where store_id = ${storeId} for update`;
        const written = isWithCommit ? ['first', 'second'] : ['first'];
        expect(await textsOf(storeId)).toEqual(isLate ? [] : written);
      }),
    ),
    { numRuns: 20 },
  );
});

test('a commit is refused from a moment before the deadline, when its scope says so, and the connection goes on', async () => {
  const storeId = randomUUID();
  const write = (leftMs: number, text: string) =>
    kit.database.write({ storeId, deadline: Date.now() + 20_000, commitBefore: Date.now() + leftMs }, async (sql) => {
      await addNote(sql, storeId, text);
      await sql`select pg_sleep(0.15)`;
    });
  await expect(write(100, 'late')).rejects.toMatchObject({ code: 'service_unavailable' });
  await write(15_000, 'in time');
  expect(await textsOf(storeId)).toEqual(['in time']);
});

test('the locks of a process that stands still are free soon after the deadline of its transaction', async () => {
  const storeId = randomUUID();
  const scope = { storeId, deadline: Date.now() + 20_000 };
  await kit.database.write(scope, (sql) => addNote(sql, storeId, 'locked'));
  /** In another process, because this one stands still until it ends. */
  const waitForLock = () =>
    execFileSync(process.execPath, ['--input-type=module'], {
      cwd: import.meta.dirname,
      input: `
        import postgres from 'postgres';
        const sql = postgres(${JSON.stringify(kit.url)}, { max: 1 });
        await sql.begin(async (sql) => {
          await sql\`select set_config('mostrador.store_id', '${storeId}', true), set_config('lock_timeout', '5000', true)\`;
          await sql\`select from notes for update\`;
        });
        await sql.end();`,
    });
  let isFree = false;
  const stalled = kit.database.write({ storeId, deadline: Date.now() + 500 }, async (sql) => {
    await sql`select from notes for update`;
    waitForLock();
    isFree = true;
  });
  await expect(stalled).rejects.toMatchObject({ code: 'upstream_timeout' });
  expect(isFree).toBe(true);
});
