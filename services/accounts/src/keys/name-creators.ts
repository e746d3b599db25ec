import type { ApiKey } from '@mostrador/contracts';
import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { namesOfPeople } from '../audit/audit-log.repository.ts';
import type { FoundKey } from './api-key.repository.ts';

type Named<Keys extends readonly FoundKey[]> = { -readonly [Index in keyof Keys]: ApiKey };

/** The keys of a store as its people see them: each with the name of who created it, as the store calls them. */
export async function nameCreators<const Keys extends readonly FoundKey[]>(
  systemDatabase: SystemDatabase,
  context: Pick<Context, 'deadline'>,
  { storeId, keys }: { storeId: string; keys: Keys },
): Promise<Named<Keys>> {
  const creators = [...new Set(keys.flatMap(({ creatorId }) => creatorId ?? []))];
  const read = () => systemDatabase.read(context, (sql) => namesOfPeople(sql, storeId, creators));
  const names = new Map(creators.length === 0 ? [] : await read());
  const named = keys.map(({ key, creatorId }): ApiKey => {
    const name = creatorId === null ? null : (names.get(creatorId) ?? null);
    return { ...key, created_by: key.created_by && { ...key.created_by, name } };
  });
  return named as Named<Keys>;
}
