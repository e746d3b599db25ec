import { oidcAttemptMinutes, type startOidcSession as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import { oidcAttemptForm } from '@mostrador/kit/tokens/token';
import type { Dependencies } from '../dependencies.ts';
import { secretsOf } from './attempt-secrets.ts';
import { insertAttempt } from './oidc.repository.ts';
import { requireOidcProvider } from './require-oidc-provider.ts';

/** It says nothing about who has an account. */
export const startOidcSession =
  ({ systemDatabase, oidc }: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const provider = requireOidcProvider(oidc);
    const { token, hash } = oidcAttemptForm.make();
    const url = await provider.authorizationUrl(secretsOf(token), context.log);
    await systemDatabase.write(context, (sql) => insertAttempt(sql, hash, oidcAttemptMinutes));
    return { attempt_token: token, authorization: { url } };
  };
