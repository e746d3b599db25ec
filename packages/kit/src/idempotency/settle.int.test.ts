import { randomUUID } from 'node:crypto';
import { getChannelConnection } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import type { TestDatabase } from '@mostrador/testing/servers/database';
import { createKitDatabase } from '@mostrador/testing/servers/kit-tables';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TransactionSql } from '../database/database.ts';
import type { StoreContext } from '../rpc/context.ts';
import { Later, type Reply } from '../rpc/reply.ts';
import { createGroupCommit } from './group-commit.ts';
import { withDeferredIdempotency, withIdempotency } from './idempotency.ts';

let kit: TestDatabase;
beforeAll(async () => {
  kit = await createKitDatabase();
});
afterAll(() => kit.drop());

const operation = getChannelConnection;
const toReply = (id: string) => ({
  ...{ provider: null, status: 'connected' as const, phone: id, opt_out_stops_api: true },
});
/** Called in the transaction of a request, before it commits. */
type During = () => Promise<unknown>;
const noWait: During = async () => {};

async function writeNote(sql: TransactionSql, storeId: string, during: During): Promise<string> {
  const [note] = await sql`insert into notes (store_id, text) values (${storeId}, ${randomUUID()}) returning id`;
  await during();
  return note?.id;
}

/** A request that writes a note. */
type Send = (context: StoreContext, during?: During) => Promise<unknown>;

const forms: Record<string, Send> = {
  alone: (context, during = noWait) =>
    withIdempotency<typeof operation, string>({
      ...{ database: kit.database, context, operation, toReply },
      run: (commit) => commit((sql) => writeNote(sql, context.storeId, during)),
    }),
  'with others': (context, during = noWait) =>
    createGroupCommit<typeof operation, During, string>(
      { database: kit.database, relay: { nudge: () => {} } },
      {
        ...{ operation, toReply, etag: () => '"v1"' },
        work: async (sql, storeId, items) => await Promise.all(items.map((item) => writeNote(sql, storeId, item))),
      },
    )(context, during),
  'with an answer that comes later': async (context, during = noWait) => {
    const answered = await withDeferredIdempotency<typeof operation, string>({
      ...{ database: kit.database, context, operation, entityOf: (id) => id },
      run: (commit) => commit((sql) => writeNote(sql, context.storeId, during)),
      answer: async (id) => toReply(id),
    });
    return answered instanceof Later ? await answered.finish() : answered;
  },
};

const settling = (context: StoreContext): StoreContext => ({
  ...context,
  idempotency: context.idempotency && { ...context.idempotency, settles: true },
});
const newContext = () => testContext({ idempotencyKey: randomUUID() });
const notesOf = async ({ storeId }: StoreContext) =>
  (await kit.adminSql`select id from notes where store_id = ${storeId}`).map(({ id }): string => id);
/** The id of the note that an answer shows, or the code of the error. */
const outcomeOf = (answer: Promise<unknown>): Promise<string> =>
  answer.then(
    (reply) => JSON.parse(Buffer.from((reply as Reply<never>).bytes ?? []).toString()).phone,
    ({ code }) => code,
  );
const refused = 'idempotency_key_reused';

describe.each(Object.entries(forms))('a request that runs %s', (_name, send) => {
  test('is settled: the key has its answer, and nothing is done again', async () => {
    const context = newContext();
    const answer = await outcomeOf(send(context));
    expect(await outcomeOf(send(settling(context)))).toBe(answer);
    expect(await notesOf(context)).toEqual([answer]);
  });

  test('and comes after its key was settled is refused, as often as it comes', async () => {
    const context = newContext();
    for (const asked of [settling(context), context, settling(context), context]) {
      expect(await outcomeOf(send(asked))).toBe(refused);
    }
    expect(await notesOf(context)).toEqual([]);
  });

  test('is settled while it runs: the settling one waits for its end', async () => {
    const [runs, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const context = newContext();
    const first = outcomeOf(
      send(context, () => {
        runs.resolve();
        return ends.promise;
      }),
    );
    await runs.promise;
    const settled = outcomeOf(send(settling(context)));
    ends.resolve();
    expect(await settled).toBe(await first);
    expect(await notesOf(context)).toEqual([await first]);
  });

  test('fails while it is settled: it has no effect later', async () => {
    const context = newContext();
    const died = outcomeOf(send(context, () => Promise.reject(Object.assign(new Error('died'), { code: 'died' }))));
    const settled = outcomeOf(send(settling(context)));
    expect([await died, await settled]).toEqual([expect.stringMatching(/^(died|idempotency_key_reused)$/), refused]);
    expect(await outcomeOf(send(context))).toBe(refused);
    expect(await notesOf(context)).toEqual([]);
  });

  test('in any order and number: either it had its one effect and each learns of it, or it never has any', async () => {
    await Promise.all(
      Array.from({ length: 24 }, async (_, run) => {
        const context = newContext();
        const isSettling = Array.from({ length: 5 }, (_, place) => ((run + 8) >> place) % 2 === 1);
        const outcomes = await Promise.all(
          isSettling.map((settles) => outcomeOf(send(settles ? settling(context) : context))),
        );
        outcomes.push(await outcomeOf(send(settling(context))), await outcomeOf(send(context)));
        const notes = await notesOf(context);
        expect(new Set(outcomes)).toEqual(new Set([notes[0] ?? refused]));
        expect(notes.length).toBeLessThanOrEqual(1);
      }),
    );
  });
});
