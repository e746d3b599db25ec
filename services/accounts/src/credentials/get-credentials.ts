import type { getCredentials as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { Dependencies } from '../dependencies.ts';
import { findIdentityTimes } from '../oidc/oidc.repository.ts';
import { listPasskeys } from '../passkeys/passkey.repository.ts';
import { relyingPartyOf } from '../passkeys/relying-party.ts';
import { requireSession } from '../sessions/session.ts';
import { findCredentials } from './credential.repository.ts';
import { sessionProof } from './session-proof.ts';
import { replacesPassword } from './set-password.ts';

export const getCredentials =
  ({ systemDatabase, publicUrl, oidc }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const session = await requireSession(systemDatabase, context);
    const [credentials, passkeys, account] = await systemDatabase.read(context, (sql) =>
      Promise.all([findCredentials(sql, session), listPasskeys(sql, session), findIdentityTimes(sql, session.user_id)]),
    );
    const { password_hash: hash, password_changed_at: changedAt } = credentials;
    return {
      password: hash === null ? null : { changed_at: changedAt && toTimestamp(changedAt) },
      needs_current_password: !replacesPassword(session, credentials),
      passkeys,
      // An owner may hold the link of a session.
      oidc:
        oidc && account && session.reach !== 'store'
          ? {
              name: oidc.name,
              linked_at: toTimestamp(account.created_at),
              last_used_at: toTimestamp(account.last_used_at),
            }
          : null,
      passkey_host: relyingPartyOf(publicUrl)?.id ?? null,
      may_join: credentials.may_join || (oidc !== null && credentials.account_may_join),
      may_create_passkey: ['proved', 'first'].includes(sessionProof(session, credentials)),
    };
  };
