import { oidcAttemptMinutes as minutes, type ReplyOf, type startOidcSession } from '@mostrador/contracts';
import type { Context } from '@mostrador/kit/rpc/context';
import { oidcAttemptForm } from '@mostrador/kit/tokens/token';
import type { Dependencies } from '../dependencies.ts';
import { secretsOf } from './attempt-secrets.ts';
import { insertAttempt } from './oidc.repository.ts';
import { requireOidcProvider } from './require-oidc-provider.ts';

/** Begins a visit to the provider: to sign in, or to join the store of a session. */
export async function startAttempt(
  { systemDatabase, oidc }: Dependencies,
  context: Context,
  sessionId: string | null,
): Promise<ReplyOf<typeof startOidcSession>> {
  const provider = requireOidcProvider(oidc);
  const { token, hash: tokenHash } = oidcAttemptForm.make();
  const url = await provider.authorizationUrl(secretsOf(token), { asksAgain: sessionId !== null, log: context.log });
  await systemDatabase.write(context, (sql) => insertAttempt(sql, { tokenHash, sessionId, minutes }));
  return { attempt_token: token, authorization: { url } };
}
