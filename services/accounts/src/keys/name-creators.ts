import type { ApiKey } from '@mostrador/contracts';
import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { namesOfPeople } from '../audit/audit-log.repository.ts';
import type { FoundKey } from './api-key.repository.ts';

/** The keys of a store as its people see them: each with the name of who created it, as the store calls them. */
export async function nameCreators(
  systemDatabase: SystemDatabase,
  context: Pick<Context, 'deadline'>,
  { storeId, keys }: { storeId: string; keys: readonly FoundKey[] },
): Promise<ApiKey[]> {
  const creators = [...new Set(keys.flatMap(({ creatorId }) => creatorId ?? []))];
  if (creators.length === 0) return keys.map(({ key }) => key);
  const names = new Map(await systemDatabase.read(context, (sql) => namesOfPeople(sql, storeId, creators)));
  return keys.map(({ key, creatorId }) => {
    const name = creatorId === null ? null : (names.get(creatorId) ?? null);
    return { ...key, created_by: key.created_by && { ...key.created_by, name } };
  });
}
