import type { Authorized, authorizePerson as operation, Tier } from '@mostrador/contracts';
import { countryOf } from '@mostrador/kit/phones/country-of-place';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { findStore } from '../stores/store.repository.ts';
import type { SessionRow } from './session.repository.ts';
import { currentSession, requireSession } from './session.ts';

export const authorizePerson =
  ({ systemDatabase }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { touch } }) => {
    const session = touch
      ? await requireSession(systemDatabase, context)
      : await currentSession(systemDatabase, context);
    const store = session && (await systemDatabase.read(context, (sql) => findStore(sql, session.store_id)));
    if (!session || !store) throw new AppError('invalid_session');
    return toAuthorized(session, store);
  };

export const toAuthorized = (
  session: Pick<SessionRow, 'id' | 'person_id' | 'user_name' | 'role' | 'seller_id' | 'store_id'>,
  store: { readonly tier: Tier } & Parameters<typeof countryOf>[0],
): Authorized => ({
  session_id: session.id,
  user_id: session.person_id,
  user_name: session.user_name,
  role: session.role,
  seller_id: session.seller_id,
  store_id: session.store_id,
  tier: store.tier,
  country: countryOf(store),
});
