import { randomUUID } from 'node:crypto';
import {
  createPersonSession,
  createStore,
  inviteUser,
  joinStore,
  type Operation,
  type ReplyOf,
  type RequestOf,
  setPassword,
  type UserRole,
} from '@mostrador/contracts';
import type { Client } from '@mostrador/kit/rpc/context';
import { testContext } from '@mostrador/testing/context';
import type { TestAccounts } from './accounts.ts';

/** From where people ask. */
export const client = { address: '203.0.113.7', agent: 'Firefox' };

/** A password that is accepted. */
export const password = 'trinta e nove pratos';

/** What stands behind the `#` of a login link. */
export const tokenOf = (url: string): string => url.split('#')[1] ?? '';

/** Invites people and signs them in, as the command and the gateway do. */
export function createPeople(accounts: TestAccounts) {
  let people = 0;
  const newEmail = () => `ana${people++}@example.com`;
  /** Asks as the gateway does, with the token of the cookie. */
  const ask = <O extends Operation>(
    operation: O,
    request: RequestOf<O>,
    session?: string,
    from: Partial<Client> = {},
  ): Promise<ReplyOf<O>> =>
    accounts.rpc.call(operation, request, { ...testContext(), session, client: { ...client, ...from } });
  const newStore = async () => (await accounts.admin(createStore, { body: { name: 'Ótica' } })).id;
  const invite = (storeId: string, email: string, role: UserRole = 'owner') =>
    accounts.admin(inviteUser, {
      body: { store_id: storeId, email, name: 'Ana', role, ...(role === 'seller' ? { seller_id: randomUUID() } : {}) },
    });
  /** The id in `users`, which nothing outside this service knows. */
  const rowIdOf = async (email: string): Promise<string> => {
    const [row] = await accounts.adminSql`select id from users where lower(email) = lower(${email})`;
    return row?.id;
  };
  const open = (token: string, session?: string) => ask(createPersonSession, { body: { token } }, session);
  return {
    newEmail,
    /** Opens a session with what stands behind the `#` of a link. */
    open,
    ask,
    newStore,
    invite,
    /** Sets a password in the session with this token. */
    setPassword: (token: string | undefined, next = password, current?: string) =>
      ask(setPassword, { body: { new_password: next, current_password: current } }, token),
    /** Signs in with a password. */
    signIn: (email: string, password: string, session?: string, from?: Partial<Client>) =>
      ask(createPersonSession, { body: { email, password } }, session, from),
    /** Lets the password open the store of the session with this token too. */
    join: (token: string | undefined, current = password) => ask(joinStore, { body: { password: current } }, token),
    /** A person who is signed in. */
    async signedIn(storeId?: string, email = newEmail(), role: UserRole = 'owner') {
      const store = storeId ?? (await newStore());
      const { login_url, user } = await invite(store, email, role);
      const link = tokenOf(login_url);
      const { session_token: token, session } = await open(link);
      return { store, email, userId: user.id, rowId: await rowIdOf(email), token, session, link };
    },
    rowIdOf,
    /** The entries of a store, with the ids of people in it. */
    auditOf: (storeId: string) =>
      accounts.adminSql`
        select actor_kind, person_id(store_id, actor_id) as actor_id, action,
          coalesce((select person_id(store_id, u.id)::text from users u where u.id::text = subject_id), subject_id)
            as subject_id, address
        from audit_log where store_id = ${storeId} order by id`,
  };
}
