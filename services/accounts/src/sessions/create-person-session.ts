import type { createPersonSession as operation, ReplyOf } from '@mostrador/contracts';
import type { Context } from '@mostrador/kit/rpc/context';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { loginLinkForm } from '@mostrador/kit/tokens/token';
import { ofUser, recordingFailure } from '../credentials/failed-sign-ins.ts';
import { signInWithPassword } from '../credentials/sign-in-with-password.ts';
import type { Dependencies } from '../dependencies.ts';
import { lockPerson } from '../people/person.repository.ts';
import { requireLoginLink } from './login-link.ts';
import { openSession } from './open-session.ts';
import { findLoginLink, useLoginLink } from './session.repository.ts';
import { currentSession } from './session.ts';

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
 * The session reaches what the link says, also in a browser with a session: another session there proves nothing about the
 * person of the link.
 */
async function signInWithLink(
  { systemDatabase }: Dependencies,
  context: Context,
  token: string,
): Promise<ReplyOf<typeof operation>> {
  const previous = await currentSession(systemDatabase, context);
  const whom = async () => {
    const linkId = loginLinkForm.idOf(token);
    const link = linkId && (await systemDatabase.read(context, (sql) => findLoginLink(sql, linkId)));
    return link ? ofUser(link.user_id, [link.store_id]) : undefined;
  };
  return await recordingFailure({ systemDatabase, context, method: 'link', whom }, async () =>
    systemDatabase.write(context, async (sql) => {
      const { user_id: owner } = await requireLoginLink(sql, token);
      await lockPerson(sql, owner);
      const { id, store_id: storeId, user_id: userId, reach } = await requireLoginLink(sql, token);
      await useLoginLink(sql, { id, storeId, userId });
      return await openSession(sql, context, { storeId, userId, reach, openedBy: 'link', previous });
    }),
  );
}
