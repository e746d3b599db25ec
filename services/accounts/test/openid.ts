import { createOidcSession, startOidcJoin, startOidcSession } from '@mostrador/contracts';
import { createEgress } from '@mostrador/kit/clients/egress';
import { type OpenIdServer, startOpenIdServer } from '@mostrador/testing/providers/openid/server';
import { callbackPath, createOidcProvider, type OidcProvider } from '../src/oidc/oidc-provider.ts';
import type { OidcSettings } from '../src/oidc/oidc-settings.ts';
import { publicUrl, startAccounts } from './accounts.ts';
import { createPeople } from './people.ts';
import { visitProvider } from './provider-visit.ts';

/** The provider as `main.ts` makes it, with other settings where a test has them. */
export const openProvider = ({ issuer, client }: OpenIdServer, settings: Partial<OidcSettings> = {}): OidcProvider =>
  createOidcProvider({
    settings: {
      ...{ issuer: new URL(issuer), clientId: client.id, clientSecret: client.secret },
      ...{ name: 'Example', scopes: 'openid email', trustsEmail: false },
      ...settings,
    },
    publicUrl,
    egress: createEgress({ allowHosts: 'localhost,127.0.0.1' }),
  });

/** The service, with a provider of its own. */
export async function startWithProvider() {
  const provider = await startOpenIdServer();
  const accounts = await startAccounts({ oidc: openProvider(provider) });
  const people = createPeople(accounts);
  /** A browser goes to the provider, and the person signs in with an account there; null: they cancel. */
  const visit = async (account: string | null, change = (url: string): string => url) => {
    const { attempt_token: attempt, authorization } = await people.ask(startOidcSession, {});
    return { attempt, answer: await visitProvider(change(authorization.url), account, `${publicUrl}${callbackPath}`) };
  };
  /** A browser in which a person is signed in goes to the provider, to join the store of the session. */
  const visitToJoin = async (account: string, token: string, change = (url: string): string => url) => {
    const { attempt_token: attempt, authorization } = await people.ask(startOidcJoin, {}, token);
    return { attempt, answer: await visitProvider(change(authorization.url), account, `${publicUrl}${callbackPath}`) };
  };
  /** The browser comes back. */
  const finish = ({ attempt, answer }: { attempt: string; answer: string }, session?: string) =>
    people.ask(createOidcSession, { body: { attempt_token: attempt, answer } }, session);
  return {
    accounts,
    people,
    provider,
    visit,
    visitToJoin,
    finish,
    enter: async (account: string, session?: string) => finish(await visit(account), session),
    async stop() {
      await Promise.all([accounts.stop(), provider.close()]);
    },
  };
}
export type WithProvider = Awaited<ReturnType<typeof startWithProvider>>;
