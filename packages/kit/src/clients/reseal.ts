import type { ReplyOf, SealedCount, SecretOperations } from '@mostrador/contracts/core';
import type { Database, SystemDatabase } from '../database/database.ts';
import type { Handler } from '../rpc/server.ts';
import { toTimestamp } from '../rpc/validate.ts';
import {
  countSealed,
  countSealedAnswers,
  findStoresToReseal,
  findToReseal,
  replaceSealed,
  type SealedColumn,
} from './sealed.repository.ts';
import type { Vault } from './secrets.ts';

/** A column of sealed texts, and the row that each is bound to. */
export type SealedTexts = SealedColumn & { readonly aad: (storeId: string, id: string) => string };

type Parts = { readonly database: Database; readonly systemDatabase: SystemDatabase; readonly vault: Vault };

/** A call ends after the store in which it reaches one of these. */
const mostWorkMs = 5_000;
const mostStores = 500;
const mostUnreadable = 100;
const lowestId = '00000000-0000-0000-0000-000000000000';

/** The handlers with which an operator moves the sealed texts of a service to the first key, beside running requests. */
export function secretHandlers(
  columns: readonly SealedTexts[],
  { database, systemDatabase, vault }: Parts,
): { readonly count: Handler<SecretOperations['count']>; readonly reseal: Handler<SecretOperations['reseal']> } {
  const [first] = vault.keys;
  return {
    count: async ({ deadline }) => {
      const [stored, answers] = await systemDatabase.read({ deadline }, (sql) =>
        Promise.all([Promise.all(columns.map((column) => countSealed(sql, column))), countSealedAnswers(sql)]),
      );
      const counts: SealedCount[] = columns.flatMap(({ table, column }, index) =>
        (stored[index] ?? []).map((row) => ({ what: `${table}.${column}`, ...row, expires_at: null })),
      );
      for (const { key_id, rows, expires_at } of answers) {
        counts.push({ what: 'idempotency_records.reply', key_id, rows, expires_at: toTimestamp(expires_at) });
      }
      return { key: first, counts };
    },

    reseal: async ({ deadline, log }, { body: { key, after } }) => {
      const result: ReplyOf<SecretOperations['reseal']> = { key: first, resealed: 0, unreadable: [], next: after };
      // This process would seal with a key that the operator is about to retire.
      if (key.id !== first.id || key.fingerprint !== first.fingerprint) return result;
      const endsAt = Date.now() + Math.min(mostWorkMs, (deadline - Date.now()) / 2);
      const asked = { keyId: first.id, after: after ?? lowestId, limit: mostStores, deadline };
      const stores = await findStoresToReseal(systemDatabase, columns, asked);
      for (const storeId of stores) {
        const done = await resealStore({ database, vault }, columns, { storeId, deadline });
        result.resealed += done.resealed;
        result.unreadable.push(...done.unreadable);
        result.next = storeId;
        if (Date.now() >= endsAt || result.unreadable.length >= mostUnreadable) break;
      }
      if (result.resealed > 0)
        log.info({ key_id: first.id, texts: result.resealed }, 'stored credentials were sealed again');
      const isEnd = stores.length < mostStores && (stores.length === 0 || result.next === stores.at(-1));
      return isEnd ? { ...result, next: null } : result;
    },
  };
}

/** Each text in a transaction of its own, so that no lock is held from one to the next. */
async function resealStore(
  { database, vault }: Pick<Parts, 'database' | 'vault'>,
  columns: readonly SealedTexts[],
  scope: { readonly storeId: string; readonly deadline: number },
): Promise<Pick<ReplyOf<SecretOperations['reseal']>, 'resealed' | 'unreadable'>> {
  const { storeId } = scope;
  const [{ id: keyId }] = vault.keys;
  const unreadable: ReplyOf<SecretOperations['reseal']>['unreadable'] = [];
  let resealed = 0;
  for (const column of columns) {
    const rows = await database.read(scope, (sql) => findToReseal(sql, storeId, column, keyId));
    for (const { id, sealed, key_id } of rows) {
      const aad = column.aad(storeId, id);
      let plain: object;
      try {
        plain = vault.open<object>(sealed, aad);
      } catch {
        unreadable.push({ store_id: storeId, what: `${column.table}.${column.column}`, key_id });
        continue;
      }
      const texts = { id, before: sealed, after: vault.seal(plain, aad) };
      if (await database.write(scope, (sql) => replaceSealed(sql, storeId, column, texts))) resealed += 1;
    }
  }
  return { resealed, unreadable };
}
