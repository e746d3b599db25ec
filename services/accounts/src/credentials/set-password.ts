import type { setPassword as operation } from '@mostrador/contracts';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import { appendAudit } from '../audit/audit.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { deletePasskeysOf } from '../passkeys/passkey.repository.ts';
import { lockPerson } from '../people/person.repository.ts';
import { reachAfter } from '../sessions/reach.ts';
import { endOtherSessions, markProved, type SessionRow } from '../sessions/session.repository.ts';
import { requireOpenSession, requireSession } from '../sessions/session.ts';
import { assertPassword } from './assert-password.ts';
import {
  type Credentials,
  findCredentials,
  openReachedStores,
  openStore,
  opensStore,
  savePassword,
} from './credential.repository.ts';
import { deleteDevicesOf } from './device.repository.ts';
import { rememberDevice } from './devices.ts';
import { passwordFault } from './password-rules.ts';
import { sessionProof } from './session-proof.ts';

/** Whether a session may set a password without the current one. */
export const replacesPassword = (session: SessionRow, credentials: Credentials): boolean =>
  session.opened_by !== 'password' &&
  !credentials.password_elsewhere &&
  ['proved', 'first', 'reset'].includes(sessionProof(session, credentials));

/**
 * A password that replaces the current one opens the same stores. One that is set without it opens the store in which it is
 * set, and those that the person's other ways in open and the session reaches. The person's other sessions and links end in
 * every store that it opens, and in no other store. After a `reset` the passkeys may be an intruder's, so they are removed
 * too.
 */
export const setPassword =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body: { current_password: current, new_password: password } }) => {
    const { systemDatabase, passwords } = dependencies;
    const session = await requireSession(systemDatabase, context);
    const { user_id: userId, store_id: storeId, email } = session;
    const fault = passwordFault(password, email);
    if (fault !== undefined) throw validationFailed([{ pointer: '#/new_password', detail: fault }]);
    passwords.assertRoom(email.toLowerCase());

    const before = await systemDatabase.read(context, (sql) => findCredentials(sql, session));
    return later(async () => {
      if (current !== undefined) {
        await assertPassword(dependencies, context, { session, password: current, credentials: before });
      } else assertReplaces(session, before);
      const hash = await passwords.hash(password);

      const device = await systemDatabase.write(context, async (sql) => {
        await lockPerson(sql, userId);
        await requireOpenSession(sql, session.id);
        const locked = await findCredentials(sql, session);
        if (current === undefined) assertReplaces(session, locked);
        else if (locked.password_hash !== before.password_hash) throw new AppError('wrong_password');
        await savePassword(sql, userId, hash);
        if (current === undefined) {
          await openStore(sql, { storeId, userId, passkeyId: null });
          await openReachedStores(sql, session);
          if (sessionProof(session, locked) === 'reset') await deletePasskeysOf(sql, userId);
        }
        if (await opensStore(sql, { storeId, userId, passkeyId: null })) await markProved(sql, session, null);
        const reach = reachAfter('password', session);
        await endOtherSessions(sql, { ...session, reach, opened_by: 'password', passkey_id: null });
        await appendAudit(sql, context, [{ storeId, actorId: userId, action: 'password.changed', subjectId: userId }]);
        // Who knew the former password counts as everybody else from now on.
        await deleteDevicesOf(sql, userId);
        return await rememberDevice(sql, context, userId);
      });
      return { device_token: device };
    });
  };

function assertReplaces(session: SessionRow, credentials: Credentials): void {
  if (replacesPassword(session, credentials)) return;
  const opensOthers = credentials.password_elsewhere || sessionProof(session, credentials) === 'elsewhere';
  const detail =
    'Your password opens other stores too, so this session cannot replace it. Give the current password, or ask the operator for a link.';
  throw new AppError('proof_required', opensOthers ? { detail } : {});
}
