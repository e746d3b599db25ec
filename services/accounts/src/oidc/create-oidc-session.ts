import type { createOidcSession as operation, ReplyOf } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Log } from '@mostrador/kit/process/log';
import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import { hashToken } from '@mostrador/kit/tokens/token';
import { appendAudit } from '../audit/audit.repository.ts';
import { storesOfAccount } from '../credentials/failed-sign-in.repository.ts';
import { ofUser, recordingFailure } from '../credentials/failed-sign-ins.ts';
import type { Dependencies } from '../dependencies.ts';
import { joinWithAccount } from '../joins/join-with-account.ts';
import { lockPerson } from '../people/person.repository.ts';
import { openSession } from '../sessions/open-session.ts';
import type { SessionRow } from '../sessions/session.repository.ts';
import { currentSession } from '../sessions/session.ts';
import { secretsOf } from './attempt-secrets.ts';
import {
  confirmStores,
  findLastConfirmedStore,
  findOwner,
  type LinkedPerson,
  linkIdentity,
  takeAttempt,
  useIdentity,
} from './oidc.repository.ts';
import type { OidcIdentity } from './oidc-provider.ts';
import { requireOidcProvider } from './require-oidc-provider.ts';

/**
 * An account signs in the person to whom it is linked, else the person with its verified address. An unknown person, a
 * disabled one, and one with another account get the same answer; the log tells them apart. No person is created.
 */
export const createOidcSession =
  ({ systemDatabase, oidc }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { attempt_token: token, answer } }) => {
    const provider = requireOidcProvider(oidc);
    const attempt = await systemDatabase.write(context, (sql) => takeAttempt(sql, hashToken(token)));
    if (!attempt) throw new AppError('oidc_failed');
    const { session_id: joining } = attempt;
    const visit = { asksAgain: joining !== null, log: context.log };
    return later(async () => {
      const identity = await provider.identify(answer, secretsOf(token), visit);
      const previous = await currentSession(systemDatabase, context);
      const whom = () =>
        systemDatabase.read(context, async (sql) => {
          const owner = await findOwner(sql, identity);
          return owner === undefined ? undefined : ofUser(owner, await storesOfAccount(sql, owner));
        });
      return await recordingFailure({ systemDatabase, context, method: 'oidc', whom }, async () =>
        systemDatabase.write(context, async (sql) => {
          const owner = await findOwner(sql, identity);
          if (owner !== undefined) await lockPerson(sql, owner);
          if (joining === null) return await signIn(sql, context, { identity, previous });
          if (previous?.id !== joining) throw new AppError('oidc_failed');
          return await joinWithAccount(sql, context, { identity, session: previous });
        }),
      );
    });
  };

async function signIn(
  sql: TransactionSql,
  context: Context,
  { identity, previous }: { identity: OidcIdentity; previous: SessionRow | null },
): Promise<ReplyOf<typeof operation>> {
  const refusal = (reason: string) => {
    context.log.warn({ reason }, 'an account of the OpenID provider was refused');
    return new AppError('oidc_refused');
  };
  const { person, isNew } = await personOf(sql, identity, context.log);
  if (!person) throw refusal('no person has its address, or they are disabled or have another account');
  if (person.disabled_at !== null) throw refusal('the person is disabled');
  const { user_id: userId } = person;
  const joined = person.is_confirmed ? await confirmStores(sql, userId) : [];
  const storeId = await findLastConfirmedStore(sql, userId);
  if (storeId === null) throw refusal('the person is in no store that it opens');
  const linked = { storeId, actorId: userId, action: 'oidc.linked', subjectId: userId } as const;
  if (isNew) await appendAudit(sql, context, [linked]);
  const entry = { actorId: userId, action: 'store.joined', subjectId: userId, details: { proof: 'oidc' } } as const;
  await appendAudit(
    sql,
    context,
    joined.map((store) => ({ ...entry, storeId: store })),
  );
  return await openSession(sql, context, { storeId, userId, reach: 'confirmed', openedBy: 'oidc', previous });
}

async function personOf(
  sql: TransactionSql,
  identity: OidcIdentity,
  log: Log,
): Promise<{ person: LinkedPerson | undefined; isNew: boolean }> {
  const known = await useIdentity(sql, identity);
  if (known) return { person: known, isNew: false };
  const { email } = identity;
  if (email === null) {
    log.warn('an account of the OpenID provider has no verified email address');
    throw new AppError('oidc_email_unverified');
  }
  const isNew = await linkIdentity(sql, { ...identity, email });
  // Another sign-in with this account may have linked it at the same moment.
  return { person: await useIdentity(sql, identity), isNew };
}
