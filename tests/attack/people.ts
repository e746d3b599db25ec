import { randomUUID } from 'node:crypto';
import { createStore, inviteUser, type Operation, type ReplyOf, type RequestOf } from '@mostrador/contracts';

/** What these need of a platform. */
export type PeoplePlatform = {
  call<O extends Operation>(operation: O, request: RequestOf<O>): Promise<ReplyOf<O>>;
  /** The address of the public API. */
  url(): string;
};

/** A person in a browser. */
export type Person = { readonly email: string; readonly storeId: string; readonly cookie: string };

/** Signs people in as browsers do. The gateway must trust this machine as a proxy. */
export function createPeople({ call, url }: PeoplePlatform) {
  const address = (path: string) => new URL(`/platform/v1${path}`, url());
  let networks = 0;
  /** An address of a network that no other caller uses. */
  const newAddress = () => `2001:db8:${(networks >> 8).toString(16)}:${(networks++ & 255).toString(16)}00::1`;

  /** Sends a request as a page of the console does. */
  const ask = (
    method: string,
    path: string,
    { from = newAddress(), cookie, body }: { from?: string; cookie?: string; body?: object } = {},
  ): Promise<Response> =>
    fetch(address(path), {
      method,
      redirect: 'manual',
      headers: {
        'sec-fetch-site': 'same-origin',
        'x-forwarded-for': from,
        ...(cookie && { cookie }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });

  return {
    address,
    newAddress,
    ask,
    /** Invites an owner to the store, and opens their login link. */
    async signIn(storeId: string): Promise<Person> {
      const email = `${randomUUID()}@example.com`;
      const invited = { store_id: storeId, email, name: 'Ana', role: 'owner' } as const;
      const { login_url } = await call(inviteUser, { body: invited });
      const answer = await ask('POST', '/session', { body: { token: login_url.split('#')[1] ?? '' } });
      if (answer.status !== 201) throw new Error(`the sign-in got ${answer.status}: ${await answer.text()}`);
      return { email, storeId, cookie: (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '' };
    },
    newStore: async () => (await call(createStore, { body: { name: 'Padaria', tier: 'enterprise' } })).id,
  };
}
