import type { StoreAi } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { findConnections, toConnection } from './model-connection.repository.ts';

/** The AI as the people of the store see it. */
export async function readStoreAi(
  { database }: Pick<Dependencies, 'database'>,
  context: StoreContext,
): Promise<StoreAi> {
  const [settings, rows] = await database.read(context, (sql) =>
    Promise.all([findSettings(sql, context.storeId), findConnections(sql, context.storeId)]),
  );
  return { ai: settings.ai, connections: rows.map(toConnection) };
}
