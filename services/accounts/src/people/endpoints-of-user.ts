import { listEndpointsOfPerson, type ReplyOf, type removeUser } from '@mostrador/contracts';
import type { Context } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { listKeyIdsOf } from '../keys/api-key.repository.ts';
import { pauseEndpoints } from './pause-endpoints.ts';
import type { FoundUser } from './person.repository.ts';

type Endpoints = NonNullable<ReplyOf<typeof removeUser>['webhook_endpoints']>;

/**
 * The webhook endpoints that a person, given once for each store, created there, for the operator, after those to pause
 * are paused. Null when the events service does not answer: the person is removed all the same, and the pauses follow.
 */
export async function endpointsOfUser(
  dependencies: Dependencies,
  context: Context,
  users: readonly FoundUser[],
): Promise<Endpoints | null> {
  const { systemDatabase, rpc } = dependencies;
  try {
    await pauseEndpoints(dependencies);
    const found: Endpoints = [];
    for (const { userId, user } of users) {
      const { id: user_id, store_id: storeId } = user;
      const key_ids = await systemDatabase.read(context, (sql) => listKeyIdsOf(sql, storeId, userId));
      const asked = { body: { user_id, key_ids } };
      const { endpoints } = await rpc.call(listEndpointsOfPerson, asked, { ...context, storeId });
      found.push(...endpoints.map(({ id, url, status }) => ({ store_id: storeId, id, url, status })));
    }
    return found;
  } catch (error) {
    context.log.warn({ err: error }, 'the webhook endpoints of a person cannot be read');
    return null;
  }
}
