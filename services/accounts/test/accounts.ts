import {
  accountsOperations,
  createApiKey,
  createStore,
  type Operation,
  type ReplyOf,
  type RequestOf,
  type Scope,
  type Tier,
} from '@mostrador/contracts';
import { createRpcServer, type Handlers } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { startTestService } from '@mostrador/testing/service';
import { afterAll, beforeAll } from 'vitest';
import { announceOver } from '../src/announce.ts';
import { createPasswordHashing } from '../src/credentials/password-hashing.ts';
import { createHandlers } from '../src/handlers.ts';
import type { OidcProvider } from '../src/oidc/oidc-provider.ts';

export const publicUrl = 'https://api.example.com';

export type TestAccounts = Awaited<ReturnType<typeof startAccounts>>;

/** Starts the whole service on its own test servers. */
export async function startAccounts({ oidc = null }: { oidc?: OidcProvider | null } = {}) {
  const service = await startTestService({
    name: 'accounts',
    operations: accountsOperations,
    build: ({ database, systemDatabase, rpc, nats }) => ({
      handlers: createHandlers({
        database,
        systemDatabase,
        rpc,
        passwords: createPasswordHashing(),
        oidc,
        publicUrl,
        announceAccessChange: announceOver(nats),
      }),
    }),
  });
  const others: { drain(): Promise<void> }[] = [];
  const admin = <O extends Operation>(operation: O, request: RequestOf<O>): Promise<ReplyOf<O>> =>
    service.rpc.call(operation, request, testContext());
  return {
    ...service,
    admin,
    /** Serves operations like another service. */
    async serve<const Ops extends Record<string, Operation>>(name: string, operations: Ops, handlers: Handlers<Ops>) {
      others.push(createRpcServer({ nats: service.nats.nats, service: name, operations, handlers, log: silentLog() }));
      await service.nats.nats.flush();
    },
    /** Creates a store with a key. */
    async newStore(settings: { tier?: Tier; scopes?: Scope[]; expires_at?: string } = {}) {
      const { tier = 'pro', scopes, expires_at } = settings;
      const store = await admin(createStore, { body: { name: 'Padaria do Bairro', tier } });
      const made = await admin(createApiKey, { body: { store_id: store.id, name: 'test', scopes, expires_at } });
      return { store, apiKey: made.api_key, key: made.key };
    },
    async stop() {
      await Promise.all(others.map((each) => each.drain()));
      await service.stop();
    },
  };
}

/** The service for the tests of a file, which starts before them and stops after them. */
export function accountsForFile(): TestAccounts {
  const accounts = {} as TestAccounts;
  beforeAll(async () => {
    Object.assign(accounts, await startAccounts());
  });
  afterAll(() => accounts.stop?.());
  return accounts;
}
