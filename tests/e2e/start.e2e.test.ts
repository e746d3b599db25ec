import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify, stripVTControlCharacters } from 'node:util';
import { type ErrorCode, errorCatalogue, requestsPerMinute, type Tier } from '@mostrador/contracts';
import { expect, inject, test } from 'vitest';
import { addresses, document, gatewayUrl, type Json, request, storeOf } from './platform.ts';

const platform = inject('platform');

test('npm start writes the addresses, and a pro and a free store with working keys', async () => {
  expect(addresses).toMatchObject({
    base_url: expect.stringMatching(/^http:\/\/.+\/integrations\/v1$/),
    docs_url: expect.stringMatching(/^http/),
    temporal_address: expect.any(String),
    nats_url: expect.stringMatching(/^nats:/),
    database_url: expect.stringMatching(/^postgres/),
  });
  expect(addresses.stores.map(({ tier }) => tier).sort()).toEqual(['free', 'pro']);
  for (const store of addresses.stores) {
    const answer = await request('GET', '/store', { key: store.api_key });
    expect(answer.body).toMatchObject({ id: store.id, name: store.name, tier: store.tier });
    const limit = requestsPerMinute[store.tier as Tier];
    expect(answer.headers.get('ratelimit-policy')).toBe(`"default";q=${limit};w=60`);
  }
});

test('only the owner can read the files with keys', () => {
  for (const file of ['dev.json', 'secrets.json']) {
    expect(statSync(join(platform.localDirectory, file)).mode & 0o077, file).toBe(0);
  }
});

test('the printed curl command creates an appointment as pasted', async () => {
  const lines = stripVTControlCharacters(readFileSync(platform.outputFile, 'utf8')).split('\n');
  const first = lines.findIndex((line) => /^\s*curl /.test(line));
  const last = lines.findIndex((line, index) => index >= first && !line.endsWith('\\'));
  const command = lines.slice(first, last + 1).join('\n');
  const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s`]);
  expect(stdout).toMatch(/^HTTP\/1\.1 201 /);
  expect(JSON.parse(stdout.slice(stdout.lastIndexOf('\r\n\r\n')))).toMatchObject({ status: 'scheduled' });
});

test('the demo store has a connected feed and coming appointments', async () => {
  const { api_key: key } = storeOf('pro');
  expect((await request('GET', '/store', { key })).body.calendar).toEqual({
    provider: 'feed',
    status: 'connected',
    reason: null,
  });
  const coming = await request('GET', `/appointments?status=scheduled&from=${new Date().toISOString()}`, { key });
  expect(coming.body.total).toBeGreaterThan(5);
  const linked = coming.body.data.find(({ lead_id }: { lead_id: string | null }) => lead_id !== null);
  expect((await request('GET', `/leads/${linked.lead_id}`, { key })).status).toBe(200);
});

test('the demo store takes appointments at any time, as a store without booking rules does', async () => {
  const { api_key: key } = storeOf('pro');
  for (const scheduled_at of ['2027-06-06T03:00:00.000Z', '2020-06-06T03:00:00.000Z']) {
    const body = { title: 'Inventory', scheduled_at };
    const made = await Promise.all(Array.from({ length: 6 }, () => request('POST', '/appointments', { key, body })));
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
  }
});

test('the demo store has the sandbox channel, whose telephone shows conversations', async () => {
  const { api_key: key } = storeOf('pro');
  const { channel } = (await request('GET', '/store', { key })).body;
  expect(channel).toMatchObject({ provider: 'sandbox', status: 'connected' });
  expect(addresses.sandbox_url).toMatch(/^http.+\/sandbox\/[\w-]{43}$/);
  const telephone = await fetch(`${addresses.sandbox_url}/messages?customer_phone=5511900000001`);
  const { messages, store_phone } = (await telephone.json()) as {
    messages: { direction: string }[];
    store_phone: string;
  };
  expect(store_phone).toBe(channel.phone);
  expect(messages.map(({ direction }) => direction)).toEqual(['inbound', 'outbound', 'inbound', 'outbound']);
  const about: Json = await (await fetch(`${addresses.sandbox_url}/about`)).json();
  expect(about.store).toEqual({ name: storeOf('pro').name, locale: 'pt-BR' });
  expect(about.customers.map(({ customer_phone }: Json) => customer_phone)).toContain('5511900000001');
});

test('the demo store has a pending follow-up', async () => {
  const { api_key: key } = storeOf('pro');
  const { data } = (await request('GET', '/followups/scheduled?status=pending', { key })).body;
  expect(data).toEqual([expect.objectContaining({ status: 'pending', cancel_on_reply: true })]);
  expect(Date.parse(data[0].due_at)).toBeGreaterThan(Date.now());
});

test('the probes show that the gateway is alive and the state of each dependency', async () => {
  expect((await fetch(`${gatewayUrl}/healthz`)).status).toBe(200);
  expect((await fetch(`${gatewayUrl}/readyz`)).status).toBe(200);
  expect((await document('/readyz')).dependencies).toMatchObject({
    postgres_system: { state: 'up' },
    nats: { state: 'up' },
  });
});

test('the gateway serves the API document, the documentation page, and a page for every error code', async () => {
  expect(await document('/openapi.json')).toMatchObject({
    openapi: expect.stringMatching(/^3\.1\./),
    info: { version: '1.0.0' },
  });
  const page = await fetch(addresses.docs_url);
  expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  for (const code of Object.keys(errorCatalogue) as ErrorCode[]) {
    const explained = await fetch(`${gatewayUrl}/docs/errors/${code}`);
    expect(explained.status, code).toBe(200);
    expect(await explained.text()).toContain(errorCatalogue[code].title);
  }
});
