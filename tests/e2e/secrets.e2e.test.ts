import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { portsFrom } from '@mostrador/local-platform/ports';
import { natsPasswords, readSecrets } from '@mostrador/local-platform/secrets';
import { rolePasswords } from '@mostrador/local-platform/servers/role-passwords';
import { readEvents } from '@mostrador/testing/providers/caldav/read-events';
import { startRadicale } from '@mostrador/testing/providers/caldav/servers';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import {
  addresses,
  adminProcess as admin,
  daysAhead,
  eventually,
  gatewayUrl,
  type Json,
  newStore,
  request,
  runAdmin,
} from './platform.ts';

const { localDirectory, outputFile, temporalHttpUrl } = inject('platform');
const planted = (what: string): string => `${what}-${randomBytes(12).toString('hex')}`;

/** Values that must not leak. Each passes through the whole platform before the search. */
const secrets: Record<string, string> = {
  'calendar password': planted('calendar'),
  'channel token': planted('token'),
  'channel app secret': planted('app'),
  'channel verify token': planted('verify'),
  "customer's phone": `55119${randomInt(10_000_000, 99_999_999)}`,
  "customer's name": planted('Ana'),
  "customer's text": planted('Oi'),
  'answer to the customer': planted('answer'),
  'text of a follow-up': planted('followup'),
  'title of an appointment': planted('fitting'),
  'notes of an appointment': planted('notes'),
  'key of a provider of models': planted('sk'),
  'instructions of an agent': planted('instructions'),
  'question to the AI': planted('question'),
  'answer of the AI': planted('reply'),
};
const secret = (name: string): string => secrets[name] ?? '';

let store: Awaited<ReturnType<typeof newStore>>;
let leadId: string;
let radicale: Awaited<ReturnType<typeof startRadicale>>;
let whatsapp: WhatsappServer;
/** What the model was asked. */
const prompts: string[] = [];
const model = createServer(async (asked, response) => {
  let prompt = String(asked.headers.authorization);
  for await (const chunk of asked) prompt += chunk;
  // After the trial call the provider fails once, and repeats every secret.
  if (prompts.push(prompt) === 2) return void response.writeHead(500).end(Object.values(secrets).join(' '));
  const content = JSON.stringify({ action: 'reply', text: secret('answer of the AI'), used_passages: [] });
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices }));
});
/** All errors of the API and of the admin command. */
const refusals: string[] = [];
const commandLines = new Set<string>();
let watching: NodeJS.Timeout;

beforeAll(async () => {
  watching = setInterval(readCommandLines, 50);
  [radicale, whatsapp] = await Promise.all([startRadicale(), startWhatsappServer()]);
  await radicale.changePassword(secret('calendar password'));
  store = await newStore();
  secrets['API key'] = store.key;
  const { postgresPassword, encryptionKeys } = readSecrets(localDirectory);
  secrets['database password'] = postgresPassword;
  secrets['encryption key'] = encryptionKeys.split(':')[1] ?? '';
  Object.assign(secrets, natsPasswords(postgresPassword), rolePasswords(postgresPassword));
  await connectBoth();
  await talk();
  await askTheAi();
  await beRefused();
});
afterAll(async () => {
  clearInterval(watching);
  model.close();
  await whatsapp?.close();
  await radicale?.dispose();
});

async function connectBoth(): Promise<void> {
  const calendar = ['calendar', 'connect', '--store', store.id, '--provider', 'caldav', '--secrets-stdin'];
  const place = ['--url', radicale.collectionUrl, '--username', radicale.username ?? ''];
  await admin([...calendar, ...place], JSON.stringify({ password: secret('calendar password') }));
  await admin(['store', 'update', '--store', store.id, '--calendar-customer', 'on']);
  const { phoneNumberId, phone } = whatsapp.settings;
  const { webhook_url } = await admin(
    [
      ...['channel', 'connect', '--store', store.id, '--provider', 'whatsapp_cloud', '--phone', phone],
      ...['--phone-number-id', phoneNumberId, '--api-url', whatsapp.apiUrl, '--secrets-stdin'],
    ],
    JSON.stringify({
      access_token: secret('channel token'),
      app_secret: secret('channel app secret'),
      verify_token: secret('channel verify token'),
    }),
  );
  Object.assign(whatsapp.settings, { webhookUrl: webhook_url, ...whatsappSecrets() });
}

const whatsappSecrets = () => ({ accessToken: secret('channel token'), appSecret: secret('channel app secret') });

async function talk(): Promise<void> {
  const post = async (path: string, body: object): Promise<Json> => {
    const answer = await request('POST', path, { key: store.key, body });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const [name, customer_phone] = [secret("customer's name"), secret("customer's phone")];
  ({ id: leadId } = await post('/leads', { name, customer_phone }));
  expect(await whatsapp.customerWrites({ from: customer_phone, text: secret("customer's text") })).toBe(200);
  await eventually(
    () => request('GET', `/leads/${leadId}/messages`, { key: store.key }),
    ({ body }) => body.total === 1,
  );
  // The provider's error repeats every secret.
  whatsapp.next({
    answer: {
      status: 400,
      body: JSON.stringify({ error: { code: 131_000, message: Object.values(secrets).join(' ') } }),
    },
  });
  await post(`/leads/${leadId}/messages`, { message: secret('answer to the customer') });
  await post(`/leads/${leadId}/messages`, { message: secret('answer to the customer') });
  const due_at = new Date(Date.now() + 1000).toISOString();
  const followup = await post('/followups/scheduled', {
    lead_id: leadId,
    message: secret('text of a follow-up'),
    due_at,
  });
  const found = await request('GET', `/leads?q=${encodeURIComponent(name)}`, { key: store.key });
  expect(found.body).toMatchObject({ total: 1, data: [{ id: leadId }] });
  const [title, notes] = [secret('title of an appointment'), secret('notes of an appointment')];
  const appointment = await post('/appointments', { title, notes, scheduled_at: daysAhead(3), lead_id: leadId });
  const sync = `/appointments/${appointment.id}/calendar-sync`;
  await eventually(
    () => request('GET', sync, { key: store.key }),
    ({ body }) => body.state === 'synced',
  );
  const { collectionUrl, username } = radicale;
  const events = await readEvents({ collectionUrl, username, password: secret('calendar password') });
  expect(events.map((event) => event.title)).toEqual([`${title} · ${name}`]);
  const scheduled = `/followups/scheduled/${followup.id}`;
  await eventually(
    () => request('GET', scheduled, { key: store.key }),
    ({ body }) => body.status === 'sent',
  );
}

async function askTheAi(): Promise<void> {
  model.listen(0, '127.0.0.1');
  await once(model, 'listening');
  const { port } = model.address() as AddressInfo;
  await admin(
    [
      ...['ai', 'connect', '--store', store.id, '--provider', 'openai_compatible', '--model', 'm'],
      ...['--url', `http://127.0.0.1:${port}/v1`, '--secrets-stdin'],
    ],
    JSON.stringify({ api_key: secret('key of a provider of models') }),
  );
  await admin(['store', 'update', '--store', store.id, '--ai', 'on', '--ai-quiet-seconds', '0']);
  const agent = { name: 'Bia', priority: 1, is_default: true, instructions: secret('instructions of an agent') };
  expect((await request('POST', '/agents', { key: store.key, body: agent })).status).toBe(201);
  const from = secret("customer's phone");
  expect(await whatsapp.customerWrites({ from, text: secret('question to the AI') })).toBe(200);
  await eventually(
    () => request('GET', `/leads/${leadId}/messages`, { key: store.key }),
    ({ body }) => body.data.some(({ source, sent_at }: Json) => source === 'ai' && sent_at !== null),
  );
}

/** Sends each secret where it is invalid. The errors must not repeat it. */
async function beRefused(): Promise<void> {
  const everything = Object.values(secrets).join(' ');
  for (const value of [...Object.values(secrets), everything]) {
    const key = store.key;
    const tries = [
      request('GET', '/store', { key: `mk_live_${value.replaceAll(/\W/g, '')}` }),
      request('GET', `/leads/${encodeURIComponent(value)}`, { key }),
      request('GET', `/leads?status=${encodeURIComponent(value)}`, { key }),
      request('POST', '/leads', { key, body: { name: 'x', customer_phone: `+${value}` } }),
      request('POST', '/appointments', { key, body: { title: value, notes: value, scheduled_at: value } }),
      request('POST', '/leads', { key, body: `{"name": "${value}` }),
      request('GET', `/${encodeURIComponent(value)}`, { key }),
    ];
    for (const { status, text } of await Promise.all(tries)) {
      expect(status).toBeGreaterThanOrEqual(400);
      refusals.push(text);
    }
  }
  const calendar = ['calendar', 'connect', '--store', store.id, '--provider', 'caldav', '--secrets-stdin'];
  const elsewhere = ['--url', radicale.collectionUrl, '--username', 'nobody'];
  const { out, err, exitCode } = await runAdmin(
    [...calendar, ...elsewhere],
    JSON.stringify({ password: secret('calendar password') }),
  );
  expect(exitCode).not.toBe(0);
  refusals.push(out, err);
}

function readCommandLines(): void {
  if (!existsSync('/proc/self/cmdline')) return;
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      commandLines.add(readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' '));
    } catch {
      // The process has exited.
    }
  }
}

/** The contents of every file below a folder. */
const filesIn = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

/** The histories of the store's workflows and of all that send messages, with their base64 payloads decoded. */
async function histories(): Promise<string> {
  const namespace = `${temporalHttpUrl}/api/v1/namespaces/default`;
  const read = async (path: string): Promise<Json> => (await fetch(`${namespace}${path}`)).json();
  const { executions } = await read(
    `/workflows?query=${encodeURIComponent(`StoreId = "${store.id}" OR WorkflowType = "deliveryShard"`)}`,
  );
  const texts: string[] = [JSON.stringify(executions)];
  for (const { execution } of executions) {
    const history = JSON.stringify(await read(`/workflows/${encodeURIComponent(execution.workflowId)}/history`));
    texts.push(history);
    for (const [, data] of history.matchAll(/"data":"([^"]+)"/g))
      texts.push(Buffer.from(data ?? '', 'base64').toString());
  }
  return texts.join('\n');
}

async function metrics(): Promise<string> {
  const { gatewayMetrics, crm, scheduling, messaging, events, assistant, workflows } = portsFrom(
    Number(new URL(gatewayUrl).port),
  );
  const urls = [gatewayMetrics, crm, scheduling, messaging, events, assistant, workflows].map(
    (port) => `http://127.0.0.1:${port}`,
  );
  return (await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()))).join('\n');
}

/** Places where a secret could leak, each with a known text that the search must find there. */
const places: [string, () => Promise<string> | string, () => string][] = [
  ['the process logs', () => filesIn(join(localDirectory, 'logs')), () => store.id],
  ['the terminal', () => readFileSync(outputFile, 'latin1'), () => store.id],
  ['the errors', () => refusals.join('\n'), () => 'validation_failed'],
  ['the workflow histories and search attributes', histories, () => leadId],
  ["Temporal's database", () => filesIn(join(localDirectory, 'e2e-temporal')), () => store.id],
  ['the event stream', () => filesIn(join(localDirectory, 'nats')), () => leadId],
  ['the metrics', metrics, () => 'mostrador_rpc'],
  ['the command lines', () => [...commandLines].join('\n'), () => 'services/messaging/src/main.mjs'],
];

/** The names of the secrets in a text. */
const foundIn = (text: string): string[] =>
  Object.entries(secrets).flatMap(([name, value]) => (text.includes(value) ? [name] : []));

describe('secrets', () => {
  test('every secret has passed through the platform', async () => {
    expect(Object.values(secrets).filter((value) => value.length < 12)).toEqual([]);
    expect(whatsapp.log.map(({ to }) => to)).toContain(secret("customer's phone"));
    for (const name of ['key of a provider of models', 'instructions of an agent', 'question to the AI']) {
      expect(prompts.at(-1)).toContain(secret(name));
    }
    expect(addresses.stores.map(({ api_key }) => api_key)).not.toContain(store.key);
  });

  test.each(places)('no secret is in %s', async (_place, read, known) => {
    const text = await read();
    expect(text).toContain(known());
    expect(foundIn(text)).toEqual([]);
  });

  test('the search finds each secret by name', () => {
    for (const [name, value] of Object.entries(secrets)) {
      expect(foundIn(`{"level":"info","msg":"${value}"}`)).toContain(name);
    }
  });

  test('the histories name the process of each action', async () => {
    const identities = [...(await histories()).matchAll(/"identity":"([^"]*)"/g)].map(([, identity]) => identity ?? '');
    const services = identities.map((identity) => /^(\w+)@[^:]+:\d+$/.exec(identity)?.[1]);
    expect([...new Set(services)].sort()).toEqual(['assistant', 'messaging', 'scheduling', 'workflows']);
  });

  test('no process has logged a missing NATS permission', () => {
    expect(filesIn(join(localDirectory, 'logs'))).not.toMatch(/permissions violation/i);
  });
});
