import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { localDirectory, root } from '@mostrador/local-platform/paths';
import { type LocalPlatform, startLocalPlatform, tail } from '@mostrador/testing/platform/local-platform';
import { runFolders } from '@mostrador/testing/platform/run-folder';
import { startWebhookReceiver, type WebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';
import { canMakeCertificates } from '@mostrador/testing/servers/certificates';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../apps/admin/src/config.ts';
import { createPlatform, type Platform } from '../../apps/admin/src/platform.ts';
import { type ProcessName, processNames } from '../../packages/platform/src/processes.ts';
import { adminOver, daysAhead, eventually, type Json } from './any-platform.ts';
import { startTlsServers, type TlsServers } from './tls-servers.ts';

/** A platform of its own, whose three servers accept connections over TLS only. */
describe.skipIf(!canMakeCertificates)('a platform with TLS to PostgreSQL, NATS and Temporal', () => {
  let servers: TlsServers;
  let platform: LocalPlatform;
  let inside: Platform;
  const receivers: WebhookReceiver[] = [];
  let folder: string;

  beforeAll(async () => {
    const runs = runFolders(join(localDirectory(process.env), 'e2e-tls'));
    await runs.removeDead();
    folder = runs.create();
    servers = await startTlsServers(folder);
    const environment = { ...servers.environment, WEBHOOK_ALLOW_HOSTS: '127.0.0.1', MOSTRADOR_DEMO: 'off' };
    platform = await startLocalPlatform({ root, folder, environment });
    inside = createPlatform(readConfig({ ...environment, NATS_URL: '', LOCAL_DIR: folder }));
  });
  afterAll(async () => {
    await inside?.close();
    const fault = await platform?.stop();
    await Promise.all([servers?.stop(), ...receivers.map((receiver) => receiver.close())]);
    if (fault) throw new Error(`${fault}\n${tail(platform.outputFile)}`);
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  /** A process that has ended has none. */
  const readiness = (name: ProcessName): Promise<Json> =>
    // At its public port the gateway tells no reasons.
    fetch(`http://127.0.0.1:${platform.ports[name === 'gateway' ? 'gatewayMetrics' : name]}/readyz`).then(
      (answer) => answer.json(),
      () => ({ ready: false, dependencies: {} }),
    );
  const untilAllReady = () =>
    eventually(
      () => Promise.all(processNames.map(async (name) => [name, await readiness(name)] as const)),
      // Every check that is shown counts, also that of Temporal, without which a service is ready.
      (all) => all.every(([, { ready, dependencies }]) => ready && Object.values<Json>(dependencies).every(isUp)),
    );
  const isUp = ({ state }: Json) => state === 'up';

  /**
   * Repeats what was not done because a process has just lost a server: its readiness may be half a second old. A machine
   * that stood still makes a moment pass before a service has it.
   */
  const whileUnavailable = async (work: () => Promise<Json>): Promise<Json> => {
    const outcome = await eventually(
      () => work().catch((error: Error) => error),
      (got) => !(got instanceof Error && /service_unavailable|not_running|in the past/.test(got.message)),
    );
    if (outcome instanceof Error) throw outcome;
    return outcome;
  };
  const ask = (method: string, path: string, key: string, given?: object | (() => object)): Promise<Json> =>
    whileUnavailable(async () => {
      const body = typeof given === 'function' ? given() : given;
      const headers = { 'x-api-key': key, ...(body && { 'content-type': 'application/json' }) };
      const answer = await fetch(`${platform.dev.base_url}${path}`, { method, headers, body: JSON.stringify(body) });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`${method} ${path} got ${answer.status} ${text}`);
      return JSON.parse(text);
    });

  /** What a new store does on its first day. */
  const tour = async () => {
    const run = (line: string) => whileUnavailable(() => adminOver(inside, line.split(' ')));
    const store = await run('store create --name tls --tier pro');
    const { api_key: key } = await run(`key create --store ${store.id} --name tls`);
    const { sandbox_url } = await run(`channel connect --store ${store.id} --provider sandbox`);
    const { feed_url } = await run(`calendar connect --store ${store.id} --provider feed`);
    const receiver = await startWebhookReceiver();
    receivers.push(receiver);
    const endpoint = await ask('POST', '/webhooks/endpoints', key, { url: receiver.url });
    receiver.trust(endpoint.secret);
    const phone = '5511960000001';
    const lead = await ask('POST', '/leads', key, { name: 'Ana', customer_phone: phone });
    const [appointment, , followup] = await Promise.all([
      ask('POST', '/appointments', key, { title: 'Visit', scheduled_at: daysAhead(2).toISOString(), lead_id: lead.id }),
      ask('POST', `/leads/${lead.id}/messages`, key, { message: 'Hello' }),
      ask('POST', '/followups/scheduled', key, () => ({
        ...{ lead_id: lead.id, message: 'Still interested?' },
        due_at: new Date(Date.now() + 2_000).toISOString(),
      })),
    ]);
    await eventually(
      async () => (await fetch(feed_url)).text(),
      (calendar) => calendar.includes('SUMMARY:Visit'),
    );
    await eventually(
      () => ask('GET', `/followups/scheduled/${followup.id}`, key),
      ({ status }) => status === 'sent',
    );
    const conversation: Json = await (await fetch(`${sandbox_url}/messages?customer_phone=${phone}`)).json();
    expect(conversation.messages.map(({ text }: Json) => text)).toEqual(['Hello', 'Still interested?']);
    await eventually(
      async () => receiver.received.map(({ event }) => event.entity.id),
      (ids) => [lead.id, appointment.id, followup.id].every((id) => ids.includes(id)),
    );
    expect(receiver.faults).toEqual([]);
  };

  test('every process is ready, and a store works', async () => {
    await untilAllReady();
    await tour();
  });

  test.each(['postgres', 'nats', 'temporal'] as const)(
    'a restart of %s ends no process, and a store works',
    async (name) => {
      const before = platform.pids();
      expect(Object.keys(before).sort()).toEqual([...processNames].sort());
      await servers.restart(name);
      await untilAllReady();
      expect(platform.pids()).toEqual(before);
      await tour();
      expect(platform.pids()).toEqual(before);
    },
  );

  test('logins that PostgreSQL refuses end no process, and a store works when it accepts them', async () => {
    const before = platform.pids();
    await servers.refuseLogins(true);
    await servers.restart('postgres');
    const withDatabase = processNames.filter((name) => name !== 'workflows');
    await eventually(
      () => Promise.all(withDatabase.map(readiness)),
      // Refused for as long as it takes until each process stops taking requests.
      (all) =>
        all.every(
          ({ ready, dependencies }) => !ready && dependencies.postgres_system?.detail?.includes('rejects the login'),
        ),
    );
    expect(platform.pids()).toEqual(before);
    await servers.refuseLogins(false);
    await untilAllReady();
    await tour();
    expect(platform.pids()).toEqual(before);
  });

  test('no server accepts a connection without TLS', async () => {
    /** What a server says to these bytes until it closes. */
    const answerTo = async (port: number, bytes: string | Buffer): Promise<string> => {
      const socket = connect({ host: '127.0.0.1', port }).on('error', () => {});
      let said = '';
      socket.on('data', (text) => {
        said += text;
      });
      socket.write(bytes);
      await once(socket, 'close');
      return said;
    };
    // A startup message of protocol 3.0, with its length in front.
    const words = '\0\x03\0\0user\0postgres\0database\0mostrador\0\0';
    const login = Buffer.from(`\0\0\0${String.fromCharCode(words.length + 4)}${words}`, 'latin1');
    expect(await answerTo(servers.ports.postgres, login)).toContain('no encryption');
    expect(await answerTo(servers.ports.nats, 'CONNECT {"verbose":true}\r\nPING\r\n')).not.toContain('PONG');
    expect(await answerTo(servers.ports.temporal, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0')).toBe('');
  });
});
