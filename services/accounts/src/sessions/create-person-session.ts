import type { createPersonSession as operation, ReplyOf } from '@mostrador/contracts';
import type { Context } from '@mostrador/kit/rpc/context';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { hasHash, loginLinkForm } from '@mostrador/kit/tokens/token';
import { joinStore } from '../credentials/credential.repository.ts';
import { signInWithPassword } from '../credentials/sign-in-with-password.ts';
import type { Dependencies } from '../dependencies.ts';
import { confirmStore } from '../oidc/oidc.repository.ts';
import { openSession } from './open-session.ts';
import { lockLoginLink, useLoginLink } from './session.repository.ts';
import { currentSession } from './session.ts';
import { isUsable } from './session-rules.ts';

export const createPersonSession =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { token, email, password } }) => {
    const hasToken = token !== undefined && email === undefined && password === undefined;
    if (hasToken) return await signInWithLink(dependencies, context, token);
    if (token === undefined && email !== undefined && password !== undefined) {
      return await signInWithPassword(dependencies, context, { email, password });
    }
    throw validationFailed([{ pointer: '#', detail: 'must have either `token`, or `email` and `password`' }]);
  };

/**
 * A person who is signed in with their password or passkey and opens a link of another store proves that they are the
 * same person. So from then on their password and passkeys open that store too, or the account at the OpenID provider
 * with which they are signed in.
 */
async function signInWithLink(
  { systemDatabase }: Dependencies,
  context: Context,
  linkToken: string,
): Promise<ReplyOf<typeof operation>> {
  const linkId = loginLinkForm.idOf(linkToken);
  if (linkId === undefined) throw new AppError('invalid_login_link');
  const previous = await currentSession(systemDatabase, context);
  return await systemDatabase.write(context, async (sql) => {
    const link = await lockLoginLink(sql, linkId);
    if (!link || !hasHash(linkToken, link.token_hash) || !isUsable(link)) throw new AppError('invalid_login_link');
    const { store_id: storeId, user_id: userId } = link;
    await useLoginLink(sql, linkId);
    const own = previous?.user_id === userId ? previous.reach : 'store';
    if (own === 'joined') await joinStore(sql, { storeId, userId });
    if (own === 'confirmed') await confirmStore(sql, { storeId, userId });
    const reach = own === 'joined' || own === 'confirmed' ? own : link.reach;
    return await openSession(sql, context, { storeId, userId, reach, openedBy: 'link', previous });
  });
}
