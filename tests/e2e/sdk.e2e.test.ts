import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import type { WebhookEvent } from '@mostrador/sdk';
import { startTcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import { buildTypescript } from '../../tools/sdk/typescript/build.ts';
import { tryTypescriptExamples } from '../../tools/sdk/typescript/examples.ts';
import { addresses, newStore } from './platform.ts';

const npmPackage = await buildTypescript();
// The build has written the generated modules that the SDK imports.
const { createClient, WebhookVerificationError, webhooks } = await import('@mostrador/sdk');

describe('the npm package', () => {
  test('is installed from its file, and the examples of the README compile, run, and print what they say', async () => {
    const { key } = await newStore();
    await tryTypescriptExamples(npmPackage.file, {
      MOSTRADOR_BASE_URL: addresses.base_url,
      MOSTRADOR_API_KEY: key,
    });
  });

  test('has the version of the repository and no dependencies', () => {
    const read = (file: string) => JSON.parse(readFileSync(file, 'utf8'));
    const { version } = read(join(inject('platform').root, 'package.json'));
    const manifest = read(join(npmPackage.folder, 'package.json'));
    expect(manifest).toMatchObject({ name: '@mostrador/sdk', version, publishConfig: { provenance: true } });
    expect(Object.keys(manifest).filter((member) => /dependencies/i.test(member))).toEqual([]);
    expect(npmPackage.file).toMatch(new RegExp(`/mostrador-sdk-${version}\\.tgz$`));
  });

  test('publint finds nothing', async () => {
    const { messages, pkg } = await publint({ pkgDir: npmPackage.folder, strict: true, pack: 'npm' });
    expect(messages.map((message) => formatMessage(message, pkg ?? {}))).toEqual([]);
  });
});

const phoneOf = (index: number) => `55119612${String(10_000 + index)}`;

test.each(['follow', 'stream'] as const)(
  '`events.%s` gives each event of the store once, although the connection breaks again and again',
  async (way) => {
    const { key: apiKey } = await newStore();
    const proxy = await startTcpProxy(new URL(addresses.base_url).host);
    onTestFinished(() => proxy.close());
    const direct = createClient({ baseUrl: addresses.base_url, apiKey });
    const behindProxy = createClient({
      baseUrl: `http://${proxy.address}${new URL(addresses.base_url).pathname}`,
      apiKey,
    });
    const first = await direct.leads.create({ name: 'Ana', customer_phone: phoneOf(0) });
    const total = 12;
    const controller = new AbortController();
    const reasons: Error[] = [];
    const events = behindProxy.events[way](
      { after: 0, types: ['lead.created'] },
      { signal: controller.signal, onRetry: (error) => reasons.push(error) },
    );
    const names: (string | undefined)[] = [];
    const sequences: number[] = [];
    for await (const event of events) {
      names.push(event.data.object?.name);
      sequences.push(event.sequence);
      expect(events.cursor).toBe(event.sequence);
      if (names.length === total) controller.abort();
      else {
        if (names.length % 4 === 0) {
          proxy.cut();
          setTimeout(() => proxy.mend(), 200);
        }
        await direct.leads.create({ name: `Lead ${names.length}`, customer_phone: phoneOf(names.length) });
      }
    }
    expect(names).toEqual(['Ana', ...Array.from({ length: total - 1 }, (_, index) => `Lead ${index + 1}`)]);
    expect(sequences).toEqual([...new Set(sequences)]);
    expect(reasons.length).toBeGreaterThanOrEqual(2);
    // Another process goes on from the cursor that this one stored.
    await direct.leads.update({ leadId: first.id, name: 'Ana Lima' });
    for await (const { data } of direct.events[way]({ after: events.cursor, types: ['lead.updated'] })) {
      expect(data.object?.name).toBe('Ana Lima');
      break;
    }
  },
);

test('`webhooks.unwrap` accepts what the server sends, also during a rotation, and nothing else', async () => {
  const { key: apiKey } = await newStore();
  const client = createClient({ baseUrl: addresses.base_url, apiKey });
  let secrets: string[] = [];
  const accepted: WebhookEvent[] = [];
  const requests: { body: Buffer; headers: Record<string, string> }[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    try {
      accepted.push(await webhooks.unwrap(body, request.headers, secrets));
      requests.push({ body, headers: request.headers as Record<string, string> });
      response.writeHead(204).end();
    } catch (error) {
      response.writeHead(error instanceof WebhookVerificationError ? 401 : 500).end();
    }
  }).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await expect.poll(() => server.listening).toBe(true);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const made = await client.webhookEndpoints.create({ url, asymmetric: true, event_types: ['lead.created'] });
  secrets = [made.secret];
  await client.leads.create({ name: 'Ana', customer_phone: phoneOf(1) });
  await expect.poll(() => accepted.length).toBe(1);
  const [event] = accepted;
  if (event?.type !== 'lead.created') throw new Error(`the event is a ${event?.type}`);
  expect(event.data.object?.name).toBe('Ana');

  await client.webhookEndpoints.test({ endpointId: made.id });
  await expect.poll(() => accepted.length).toBe(2);
  const [, tried] = accepted;
  if (tried?.type !== 'webhook.test') throw new Error(`the event is a ${tried?.type}`);
  expect(tried.data.endpoint_id).toBe(made.id);

  const rotated = await client.webhookEndpoints.rotate({ endpointId: made.id, overlap_hours: 1 });
  await client.leads.create({ name: 'Bia', customer_phone: phoneOf(2) });
  await expect.poll(() => accepted.length).toBe(3);
  const [{ body = Buffer.alloc(0), headers = {} } = {}] = requests.slice(2);
  for (const each of [made.secret, rotated.secret, [rotated.secret, made.secret]])
    await webhooks.verify(body, headers, each);
  const { public_key: publicKey } = await client.webhookEndpoints.get({ endpointId: made.id });
  if (publicKey) await webhooks.verify(body, headers, publicKey);
  const forged = Buffer.from(body.toString().replace('Bia', 'Eva'));
  const answer = await fetch(url, { method: 'POST', headers, body: forged });
  expect([answer.status, accepted.length]).toEqual([401, 3]);
});
