import { randomBytes, randomUUID } from 'node:crypto';
import { type Operation, type SecretService, secretOperations } from '@mostrador/contracts';
import { type SealedTexts, secretHandlers } from '@mostrador/kit/clients/reseal';
import { createVault, type Vault } from '@mostrador/kit/clients/secrets';
import { connectNats } from '@mostrador/kit/rpc/nats';
import { answerRollCall } from '@mostrador/kit/rpc/roll-call';
import { createRpcServer, type Handlers } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { createTestDatabase, type TestDatabase } from '@mostrador/testing/servers/database';
import { startTestNats, type TestNats } from '@mostrador/testing/servers/nats';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { sealedConnections } from '../../../../services/assistant/src/models/credentials.ts';
import { sealedEndpoints } from '../../../../services/events/src/webhooks/endpoints/secrets.ts';
import { sealedChannels } from '../../../../services/messaging/src/channels/credentials.ts';
import { sealedCalendars } from '../../../../services/scheduling/src/calendars/credentials.ts';
import { runAt } from '../../test/run-here.ts';

const newKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`;

type Stored = { readonly storeId: string; readonly id: string; readonly texts: readonly (string | null)[] };

/** How rows of each service are stored, with a text for each of its columns. */
const services: Record<
  SecretService,
  { columns: readonly SealedTexts[]; insert(db: TestDatabase, row: Stored): Promise<unknown> }
> = {
  messaging: {
    columns: sealedChannels,
    insert: ({ adminSql }, { storeId, id, texts: [credentials = null, page = null] }) => adminSql`
      insert into channels (store_id, id, provider, sealed_credentials, sealed_page_token, disconnected_at)
      values (${storeId}, ${id}, 'sandbox', ${credentials}, ${page}, ${credentials === null ? new Date() : null})`,
  },
  scheduling: {
    columns: sealedCalendars,
    insert: ({ adminSql }, { storeId, id, texts: [credentials = null, feed = null] }) => adminSql`
      insert into calendar_connections (store_id, id, provider, sealed_credentials, sealed_feed_token, disconnected_at)
      values (${storeId}, ${id}, 'feed', ${credentials}, ${feed}, ${credentials === null ? new Date() : null})`,
  },
  events: {
    columns: sealedEndpoints,
    insert: ({ adminSql }, { storeId, id, texts: [secrets = null] }) => adminSql`
      insert into webhook_endpoints
        (store_id, id, url, ordering, payload, max_in_flight, sealed_secrets, planned_through)
      values (${storeId}, ${id}, 'https://example.com/', 'entity', 'object', 5, ${secrets}, 0)`,
  },
  assistant: {
    columns: sealedConnections,
    insert: ({ adminSql }, { storeId, id, texts: [key = null, embedderKey = null] }) => adminSql`
      with model as (
        insert into provider_connections (store_id, id, provider, model, sealed_credentials)
        values (${storeId}, ${id}, 'gemini', 'flash', ${key})
      )
      insert into embedders (store_id, id, url, model, sealed_credentials)
      values (${storeId}, ${id}, 'https://models.example.com/v1', 'm', ${embedderKey})`,
  },
};
const names = Object.keys(services) as SecretService[];

let nats: TestNats;
let databases: Record<SecretService, TestDatabase>;
let running: { drain(): Promise<void> }[] = [];
beforeAll(async () => {
  const [made, ...opened] = await Promise.all([startTestNats(), ...names.map((name) => createTestDatabase(name))]);
  nats = made;
  databases = Object.fromEntries(names.map((name, index) => [name, opened[index]])) as typeof databases;
});
afterAll(async () => {
  await Promise.all(Object.values(databases ?? {}).map((each) => each.drop()));
  await nats?.stop();
});
let connections: TestNats['nats'][] = [];
beforeEach(async () => {
  for (const { adminSql } of Object.values(databases)) await adminSql`truncate idempotency_records`;
  await databases.messaging.adminSql`truncate channels cascade`;
  await databases.scheduling.adminSql`truncate calendar_connections cascade`;
  await databases.events.adminSql`truncate webhook_endpoints cascade`;
  await databases.assistant.adminSql`truncate provider_connections, embedders`;
});
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(running.map((server) => server.drain()));
  await Promise.all(connections.map((each) => each.close()));
  [running, connections] = [[], []];
});

/** A process of a service: it answers the roll call, and serves the operations on its secrets. */
async function startProcess(service: SecretService, vault: Vault): Promise<void> {
  const connection = await connectNats({ url: nats.url, name: service, log: silentLog() });
  connections.push(connection);
  const health = { ready: async () => ({ ready: true, dependencies: {} }), downSince: () => undefined };
  answerRollCall(connection, silentLog(), { process: service, health, keys: vault.keys });
  const { count, reseal } = secretHandlers(services[service].columns, { ...databases[service], vault });
  const operations = secretOperations[service] as Record<'count' | 'reseal', Operation>;
  const handlers = { count, reseal } as unknown as Handlers<typeof operations>;
  running.push(createRpcServer({ nats: connection, service, operations, handlers, log: silentLog() }));
  await connection.flush();
}

const plainOf = (service: string, storeId: string, index: number) => ({ secret: `${service} ${storeId} ${index}` });

/** Stores credentials of this many stores, sealed by a vault. The last one has only what outlives its connection. */
async function store(service: SecretService, vault: Vault, stores: number): Promise<Stored[]> {
  const rows: Stored[] = [];
  for (let n = 0; n < stores; n++) {
    const [storeId, id] = [randomUUID(), randomUUID()];
    const texts = services[service].columns.map(({ aad }, index) =>
      n === stores - 1 && index === 0 && service !== 'events'
        ? null
        : vault.seal(plainOf(service, storeId, index), aad(storeId, id)),
    );
    rows.push({ storeId, id, texts });
    await services[service].insert(databases[service], { storeId, id, texts });
  }
  return rows;
}

/** What a vault reads of all rows; `unreadable` where it cannot. */
async function readAll(service: SecretService, vault: Vault, rows: readonly Stored[]): Promise<unknown[]> {
  const { adminSql } = databases[service];
  const read: unknown[] = [];
  for (const { storeId, id } of rows) {
    for (const { table, column, aad } of services[service].columns) {
      const [row] = await adminSql`select ${adminSql(column)} as sealed from ${adminSql(table)} where id = ${id}`;
      if (row?.sealed === null) continue;
      try {
        read.push(vault.open(row?.sealed, aad(storeId, id)));
      } catch {
        read.push('unreadable');
      }
    }
  }
  return read;
}

const expected = (service: SecretService, rows: readonly Stored[]) =>
  rows.flatMap(({ storeId, texts }) =>
    texts.flatMap((text, index) => (text === null ? [] : [plainOf(service, storeId, index)])),
  );
const reseal = async (...options: string[]) => {
  const ended = await runAt(nats.url, ['secrets', 'reseal', ...options, '--json']);
  return { ...ended, result: ended.out === '' ? JSON.parse(ended.err) : JSON.parse(ended.out) };
};

describe('secrets reseal', () => {
  test('moves every stored credential of each service to the first key of that service, and the old key can go', async () => {
    const stored = new Map<SecretService, { rows: Stored[]; newest: string }>();
    for (const service of names) {
      // Each service has keys of its own, under the same ids.
      const [oldest, newest] = [newKey('k1'), newKey('k2')];
      const rows = [
        ...(await store(service, createVault(oldest), 5)),
        ...(await store(service, createVault(`${newest},${oldest}`), 1)),
      ];
      stored.set(service, { rows, newest });
      for (const _replica of [1, 2]) await startProcess(service, createVault(`${newest},${oldest}`));
    }

    const tried = await reseal('--dry-run');
    expect(tried).toMatchObject({ exitCode: 0, result: { dry_run: true } });
    for (const service of names)
      expect(
        await readAll(service, createVault(stored.get(service)?.newest ?? ''), stored.get(service)?.rows ?? []),
      ).toContain('unreadable');

    const done = await reseal();
    expect(done).toMatchObject({ exitCode: 0, err: '' });
    for (const [index, service] of (['scheduling', 'messaging', 'events'] as const).entries()) {
      const { rows, newest } = stored.get(service) ?? { rows: [], newest: '' };
      const counted = done.result.services[index];
      const old = counted.before.filter((count: { key_id: string }) => count.key_id === 'k1');
      expect(counted.resealed).toBe(old.reduce((sum: number, each: { rows: number }) => sum + each.rows, 0));
      expect(counted.resealed).toBeGreaterThanOrEqual(5);
      expect(counted.after.map((count: { key_id: string }) => count.key_id)).not.toContain('k1');
      // The old key is gone.
      expect(await readAll(service, createVault(newest), rows)).toEqual(expected(service, rows));
    }
    expect(await reseal()).toMatchObject({ exitCode: 0, result: { services: names.map(() => ({ resealed: 0 })) } });
    const text = await runAt(nats.url, ['secrets', 'reseal', '--dry-run']);
    expect(text.out).toContain('events seals with k2. No other key is needed.');
  });

  test.each<[string, (keys: Record<'k1' | 'k2' | 'other', string>) => [string, string]]>([
    ['one lacks the new key', ({ k1, k2 }) => [`${k2},${k1}`, k1]],
    ['one seals with the old key', ({ k1, k2 }) => [`${k2},${k1}`, `${k1},${k2}`]],
    ['one has another key under that id', ({ k1, k2, other }) => [`${k2},${k1}`, `${other},${k1}`]],
  ])('changes nothing while %s', async (_name, keysOf) => {
    const keys = { k1: newKey('k1'), k2: newKey('k2'), other: newKey('k2') };
    const rows = await store('messaging', createVault(keys.k1), 3);
    for (const each of keysOf(keys)) await startProcess('messaging', createVault(each));
    const refused = await reseal('--service', 'messaging');
    expect(refused).toMatchObject({ exitCode: 1, out: '', result: { error: { code: 'refused' } } });
    expect(refused.result.error.detail).toContain('give all of them the same ENCRYPTION_KEYS');
    expect(await readAll('messaging', createVault(keys.k1), rows)).toEqual(expected('messaging', rows));
  });

  test('a process that gets another first key in between seals nothing', async () => {
    const [k1, k2] = [newKey('k1'), newKey('k2')];
    await store('events', createVault(k1), 2);
    const { reseal: handle } = secretHandlers(sealedEndpoints, {
      ...databases.events,
      vault: createVault(`${k1},${k2}`),
    });
    const [key] = createVault(k2).keys;
    const answer = await handle(testContext(), { body: { key, after: null } });
    expect(answer).toMatchObject({ key: { id: 'k1' }, resealed: 0, next: null });
  });

  test('goes on where a call was cut short', async () => {
    const [k1, k2] = [newKey('k1'), newKey('k2')];
    const vault = createVault(`${k2},${k1}`);
    const rows = await store('events', createVault(k1), 4);
    vi.useFakeTimers({ toFake: ['Date'] });
    const slow: Vault = {
      ...vault,
      open: (sealed, aad) => {
        vi.setSystemTime(Date.now() + 6_000);
        return vault.open(sealed, aad);
      },
    };
    const { reseal: handle } = secretHandlers(sealedEndpoints, { ...databases.events, vault: slow });
    const places: (string | null)[] = [];
    let resealed = 0;
    do {
      const request = { body: { key: vault.keys[0], after: places.at(-1) ?? null } };
      const answer = await handle(testContext({ timeoutMs: 500_000 }), request);
      const { next, resealed: done } = answer as { next: string | null; resealed: number };
      places.push(next);
      resealed += done;
    } while (places.at(-1) !== null);
    vi.useRealTimers();
    expect(places.length).toBeGreaterThanOrEqual(4);
    expect(resealed).toBe(4);
    expect(await readAll('events', createVault(k2), rows)).toEqual(expected('events', rows));
  });

  test('keeps what a request stores at the same moment', async () => {
    const [k1, k2] = [newKey('k1'), newKey('k2')];
    const rows = await store('messaging', createVault(k1), 20);
    await startProcess('messaging', createVault(`${k2},${k1}`));
    const { adminSql } = databases.messaging;
    const [{ aad } = { aad: () => '' }] = sealedChannels;
    const connectAgain = async () => {
      for (const { storeId, id } of rows.slice(0, -1)) {
        const sealed = createVault(k2).seal({ secret: 'new' }, aad(storeId, id));
        await adminSql`update channels set sealed_credentials = ${sealed} where id = ${id}`;
      }
    };
    const [done] = await Promise.all([reseal('--service', 'messaging'), connectAgain()]);
    expect(done.exitCode).toBe(0);
    const read = await readAll('messaging', createVault(k2), rows);
    expect(read).not.toContain('unreadable');
    expect(read.filter((one) => (one as { secret: string }).secret === 'new')).toHaveLength(19);
  });

  test('names what no key opens, leaves it, and ends with 1', async () => {
    const [lost, k2] = [newKey('lost'), newKey('k2')];
    const rows = await store('events', createVault(lost), 2);
    await startProcess('events', createVault(k2));
    const done = await reseal('--service', 'events');
    expect(done).toMatchObject({ exitCode: 1, result: { services: [{ resealed: 0 }] } });
    expect(done.result.services[0].unreadable.map(({ store_id }: { store_id: string }) => store_id).sort()).toEqual(
      rows.map(({ storeId }) => storeId).sort(),
    );
    expect(await readAll('events', createVault(lost), rows)).toEqual(expected('events', rows));
  });

  test('says until when the answers of repeated requests need an old key', async () => {
    const [k1, k2] = [newKey('k1'), newKey('k2')];
    await databases.events.adminSql`
      insert into idempotency_records (store_id, scope, key, fingerprint, reply)
      values (${randomUUID()}, 'POST /webhook-endpoints', 'a', 'f', ${createVault(k1).seal({ answer: '{}' }, 'x')}::text::bytea),
        (${randomUUID()}, 'POST /x', 'b', 'f', '{"not":"sealed"}'::bytea)`;
    await startProcess('events', createVault(`${k2},${k1}`));
    const { out } = await runAt(nats.url, ['secrets', 'reseal', '--service', 'events']);
    expect(out).toMatch(/events +idempotency_records[.]reply +k1 +1 +1/);
    expect(out).toMatch(/events seals with k2[.] Keep k1 until \d{4}-.*Z: answers for repeated requests/);
  });
});
