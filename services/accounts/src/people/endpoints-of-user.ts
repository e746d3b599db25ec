import { listEndpointsOfPerson, type ReplyOf, type removeUser } from '@mostrador/contracts';
import type { Context } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { listKeyIdsOf } from '../keys/api-key.repository.ts';
import { idInStore } from './endpoint-pause.repository.ts';
import { pauseEndpoints } from './pause-endpoints.ts';

type Endpoints = NonNullable<ReplyOf<typeof removeUser>['webhook_endpoints']>;

/**
 * The webhook endpoints that a person created in these stores, for the operator, after those to pause are paused. Null when
 * the events service does not answer: the person is removed all the same, and what is to be paused will be.
 */
export async function endpointsOfUser(
  dependencies: Dependencies,
  context: Context,
  { userId, storeIds }: { userId: string; storeIds: readonly string[] },
): Promise<Endpoints | null> {
  const { systemDatabase, rpc } = dependencies;
  try {
    await pauseEndpoints(dependencies);
    const found: Endpoints = [];
    for (const storeId of storeIds) {
      const [user_id, key_ids] = await systemDatabase.read(context, (sql) =>
        Promise.all([idInStore(sql, storeId, userId), listKeyIdsOf(sql, storeId, userId)]),
      );
      const { endpoints } = await rpc.call(
        listEndpointsOfPerson,
        { body: { user_id, key_ids } },
        { ...context, storeId },
      );
      found.push(...endpoints.map(({ id, url, status }) => ({ store_id: storeId, id, url, status })));
    }
    return found;
  } catch (error) {
    context.log.warn({ err: error }, 'the webhook endpoints of a person cannot be read');
    return null;
  }
}
