import type { ApiKey } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { listKeyIdsOf, listValidKeysOf, lockKeys } from '../keys/api-key.repository.ts';
import { revokeKey } from '../keys/change-keys.ts';
import { insertEndpointPause } from './endpoint-pause.repository.ts';

/** What a request ends beside the ways in of a person, as `endsCreations` of the contract. */
export type Ends = { readonly revoke_keys?: boolean; readonly pause_webhooks?: boolean };

/**
 * Ends what a person who leaves a store created there, in the transaction in which they leave. The events service has the
 * endpoints: a row says that they are to be paused, until they are. Returns the keys that were valid, as they are now.
 */
export async function endCreations(
  sql: TransactionSql,
  context: Context,
  {
    storeId,
    userId,
    actorId,
    revoke_keys,
    pause_webhooks,
  }: Ends & {
    readonly storeId: string;
    readonly userId: string;
    /** Null: the operator. */
    readonly actorId: string | null;
  },
): Promise<ApiKey[]> {
  await lockKeys(sql, storeId);
  const found = await listValidKeysOf(sql, storeId, userId);
  if (pause_webhooks) {
    await insertEndpointPause(sql, context, {
      storeId,
      userId,
      actorId,
      keyIds: await listKeyIdsOf(sql, storeId, userId),
    });
  }
  const keys: ApiKey[] = [];
  for (const { key } of found) {
    keys.push(revoke_keys ? (await revokeKey({ sql, context, storeId, actorId }, key.id)).key : key);
  }
  return keys;
}
