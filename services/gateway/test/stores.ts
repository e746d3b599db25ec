import { randomUUID } from 'node:crypto';
import type { Scope, Tier } from '@mostrador/contracts';
import { apiKeyForm } from '@mostrador/kit/tokens/token';
import type { TestDatabase } from '@mostrador/testing/servers/database';

export type StoreSettings = {
  readonly name?: string;
  readonly tier?: Tier;
  readonly timezone?: string;
  readonly locale?: string;
  readonly rate_limit?: number;
};

/** Writes stores and keys in the tables of accounts, which the gateway reads. `announce` notifies the gateways. */
export function createStoreRows(adminSql: TestDatabase['adminSql'], announce: () => void) {
  const newKey = async (storeId: string, settings: { scopes?: Scope[]; expires_at?: string } = {}) => {
    const { id, token, hash } = apiKeyForm.make();
    const { scopes = null, expires_at = null } = settings;
    await adminSql`
      insert into accounts.api_keys (id, store_id, name, key_hash, scopes, expires_at)
      values (${id}, ${storeId}, 'test', ${hash}, ${scopes}, ${expires_at})`;
    return { apiKey: token, key: { id } };
  };
  return {
    newKey,
    /** Creates a store with a key. */
    async newStore(settings: StoreSettings & { scopes?: Scope[]; expires_at?: string } = {}) {
      const { name = 'Padaria do Bairro', tier = 'pro', timezone = 'UTC', locale = 'en', rate_limit = null } = settings;
      const id = randomUUID();
      await adminSql`
        insert into accounts.stores (id, name, tier, timezone, locale, rate_limit)
        values (${id}, ${name}, ${tier}, ${timezone}, ${locale}, ${rate_limit})`;
      return { store: { id, name, tier, timezone, locale }, ...(await newKey(id, settings)) };
    },
    async updateStore(id: string, changes: StoreSettings) {
      await adminSql`update accounts.stores set ${adminSql(changes)}, updated_at = clock_timestamp() where id = ${id}`;
      announce();
    },
    async revokeKey(id: string) {
      await adminSql`
        update accounts.api_keys set revoked_at = clock_timestamp(), updated_at = clock_timestamp() where id = ${id}`;
      announce();
    },
    /** Ends a key after a number of seconds, as a rotation does. */
    async expireKey(id: string, afterSeconds: number) {
      await adminSql`
        update accounts.api_keys set expires_at = clock_timestamp() + make_interval(secs => ${afterSeconds}),
          updated_at = clock_timestamp() where id = ${id}`;
      announce();
    },
  };
}
