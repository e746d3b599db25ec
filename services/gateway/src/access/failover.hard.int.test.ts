import { randomUUID } from 'node:crypto';
import { createSystemDatabase } from '@mostrador/kit/database/database';
import { migrateSchemas } from '@mostrador/local-platform/migrations';
import { silentLog } from '@mostrador/testing/context';
import { type ReplicatedPostgres, startReplicatedPostgres } from '@mostrador/testing/servers/replicated-postgres';
import { waitFor } from '@mostrador/testing/wait';
import postgres from 'postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRoles } from '../../../../infra/postgres/roles.ts';
import type { AccessDirectory } from './access-directory.ts';
import { createAccess } from './create-access.ts';

const log = silentLog();
let servers: ReplicatedPostgres;
let primary: postgres.Sql;
let standby: postgres.Sql;
const stops: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  servers = await startReplicatedPostgres();
  [primary, standby] = [servers.primaryUrl, servers.standbyUrl].map((url) => postgres(url, { max: 1 })) as [
    postgres.Sql,
    postgres.Sql,
  ];
  await createRoles(primary, { database: 'postgres', password: servers.password });
  await migrateSchemas((schema) => servers.primaryUrl.replace('//postgres:', `//${schema}_owner:`), log);
});
afterAll(async () => {
  for (const stop of stops) await stop();
  await Promise.all([primary?.end({ timeout: 1 }), standby?.end({ timeout: 1 })]);
  await servers?.stop();
});

/** The directory of a gateway with this address. */
async function directoryOf(url: string): Promise<AccessDirectory> {
  const connect = (name: string) =>
    createSystemDatabase({ url: url.replace('//postgres:', '//gateway_system:'), size: 1, log, name });
  const [lookUps, polls] = [connect('look-ups'), connect('polls')];
  const directory = createAccess({ lookUps, polls, log });
  stops.push(
    () => directory.stop(),
    () => Promise.all([lookUps.close(), polls.close()]),
  );
  await directory.start();
  return directory;
}

test('keys are never read from a stale standby, and from the promoted one after a failover', async () => {
  const [storeId, keyId] = [randomUUID(), 'abcdefgh'];
  await primary`insert into accounts.stores (id, name, tier, timezone, locale) values (${storeId}, 'A', 'pro', 'UTC', 'pt-BR')`;
  await primary`
    insert into accounts.api_keys (id, store_id, name, key_hash) values (${keyId}, ${storeId}, 'test', sha256('key'))`;
  await waitFor(async () => (await standby`select 1 from accounts.api_keys`).length === 1, {
    description: 'the standby has the key',
  });
  await standby`select pg_wal_replay_pause()`;
  await primary`update accounts.api_keys set revoked_at = now(), updated_at = now() where id = ${keyId}`;

  const onlyStandby = await directoryOf(servers.standbyUrl);
  await expect(onlyStandby.lookUp(keyId)).rejects.toMatchObject({ code: 'service_unavailable' });
  const directory = await directoryOf(servers.url);
  const known = await waitFor(() => directory.lookUp(keyId), { description: 'the key of the primary' });
  expect(known).toMatchObject({ revoked: true });

  await standby`select pg_wal_replay_resume()`;
  await servers.killPrimary();
  await servers.promoteStandby();
  const other = 'ijklmnop';
  await standby`
    insert into accounts.api_keys (id, store_id, name, key_hash) values (${other}, ${storeId}, 'test', sha256('other'))`;
  for (const each of [directory, onlyStandby]) {
    const found = await waitFor(() => each.lookUp(other), { description: 'the new key' });
    expect(found).toMatchObject({ revoked: false });
    const revoked = await waitFor(() => each.lookUp(keyId), { description: 'the revoked key' });
    expect(revoked).toMatchObject({ revoked: true });
  }
});
