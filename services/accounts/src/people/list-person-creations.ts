import { listEndpointsOfPerson, type listPersonCreations as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { listKeyIdsOf, listValidKeysOf } from '../keys/api-key.repository.ts';
import { nameCreators } from '../keys/name-creators.ts';
import { requireSession } from '../sessions/session.ts';
import { findUserId } from './person.repository.ts';
import { unknownPerson } from './unknown-person.ts';

export const listPersonCreations =
  ({ systemDatabase, rpc }: Dependencies): Handler<typeof operation> =>
  async (context, { params: { userId: personId } }) => {
    const { store_id: storeId } = await requireSession(systemDatabase, context);
    const userId = await systemDatabase.read(context, (sql) => findUserId(sql, storeId, personId));
    if (userId === null) throw unknownPerson();
    const [keys, keyIds] = await systemDatabase.read(context, (sql) =>
      Promise.all([listValidKeysOf(sql, storeId, userId), listKeyIdsOf(sql, storeId, userId)]),
    );
    const asked = { body: { user_id: personId, key_ids: keyIds } };
    const { endpoints } = await rpc.call(listEndpointsOfPerson, asked, { ...context, storeId });
    return { keys: await nameCreators(systemDatabase, context, { storeId, keys }), webhook_endpoints: endpoints };
  };
