import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import {
  addresses,
  admin,
  document,
  eventually,
  gatewayUrl,
  type Json,
  newStore,
  request,
  storeOf,
} from './platform.ts';
import { expectProblem } from './problem.ts';

type Sample = { lang: string; source: string };
type Documented = {
  name: string;
  samples: Record<string, string>;
  responses: Record<string, unknown>;
  hasIds: boolean;
};

const run = promisify(execFile);
/** The ids of the samples are those of the demo store. */
const someId = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-/;

let key: string;
let operations: Documented[];

beforeAll(async () => {
  key = (await newStore()).key;
  const { paths } = await document('/openapi.json');
  operations = Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.entries<Json>(item)
      .filter(([, operation]) => operation.operationId && operation.security?.length !== 0)
      // The sample of the stream has no end: events.e2e.test.ts reads it.
      .filter(([, operation]) => !operation.responses[200]?.content?.['text/event-stream'])
      .map(([method, operation]) => {
        const samples = Object.fromEntries(
          (operation['x-codeSamples'] as Sample[]).map(({ lang, source }) => [lang, source]),
        );
        const name = `${method.toUpperCase()} ${path}`;
        return { name, samples, responses: operation.responses, hasIds: someId.test(samples.shell ?? '') };
      }),
  );
});

const runSample = async (shell: string | undefined, apiKey: string) => {
  const env = { ...process.env, MOSTRADOR_API_KEY: apiKey };
  const { stdout } = await run('sh', ['-c', `${shell} -s -w '\\n%{http_code}'`], { env });
  const [, body = '', status = ''] = /^([\s\S]*)\n(\d+)$/.exec(stdout) ?? [];
  return { body, status };
};

test('every curl sample is a request that the API accepts: the answer is a success, or 404 for another store’s id', async () => {
  expect(operations.length).toBeGreaterThan(30);
  const wrong: string[] = [];
  let successes = 0;
  for (const { name, samples, hasIds, responses } of operations) {
    const { body, status } = await runSample(samples.shell, key);
    const isSuccess = status.startsWith('2') && Object.hasOwn(responses, status);
    const isMissing = hasIds && status === '404' && /_not_found"/.test(body) && !body.includes('route_not_found');
    // The sample goes on from a place that the feed of a new store does not have yet.
    const isElsewhere = name === 'GET /events' && status === '410' && body.includes('"cursor_expired"');
    if (isSuccess) successes += 1;
    else if (!isMissing && !isElsewhere) wrong.push(`${name}: ${status} ${body}`);
  }
  expect(wrong).toEqual([]);
  expect(successes).toBeGreaterThan(10);
});

test('in development every sample that reads finds something in the demo store', async () => {
  // The demo store has no webhook endpoint, because nothing would listen at its address, no services, and no message of
  // the AI.
  const absent = /^GET \/(webhooks\/endpoints\/\{|availability|services\/|.*\/explanation$)/;
  const reads = operations.filter(({ name }) => name.startsWith('GET ') && !absent.test(name));
  expect(reads.filter(({ hasIds }) => hasIds).length).toBeGreaterThan(5);
  const answers = await Promise.all(reads.map(({ samples }) => runSample(samples.shell, storeOf('pro').api_key)));
  expect(answers.filter(({ status }) => status !== '200')).toEqual([]);
});

test('the TypeScript samples run, and the Python samples are valid', async () => {
  for (const name of ['GET /store', 'GET /leads', 'PUT /leads/by-phone/{phone}']) {
    const { samples } = operations.find((each) => each.name === name) as Documented;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', samples.typescript ?? ''], {
      env: { ...process.env, MOSTRADOR_API_KEY: key },
    });
    expect(stdout, name).toMatch(/^\{/);
  }
  const sources = JSON.stringify(operations.map(({ samples }) => samples.python));
  const check = `import ast, json, sys\nfor source in json.loads(sys.argv[1]): ast.parse(source)`;
  await expect(run('python3', ['-c', check, sources])).resolves.toBeDefined();
  expect(sources).toContain(addresses.base_url);
});

/** A sentence of a served guide, and what the running API has to say to it. */
type Claim = readonly [guide: string, sentence: string, ask: (of: Asked) => Promise<void>];
type Asked = { readonly key: string; readonly lead: string; readonly store: string };

const post = (path: string, key: string, body: unknown, headers: Record<string, string> = {}) =>
  request('POST', path, { key, body, headers });
const get = (path: string, key: string, headers: Record<string, string> = {}) => request('GET', path, { key, headers });
const faultsOf = (answer: Awaited<ReturnType<typeof request>>) => expectProblem(answer, 'validation_failed').errors;
const keyWith = async (store: string, scopes: string): Promise<string> =>
  (await admin(['key', 'create', '--store', store, '--name', 'claims', '--scopes', scopes])).api_key;
const appointment = { title: 'Exame', scheduled_at: '2027-01-31T09:00:00-03:00' };

const claims: readonly Claim[] = [
  [
    'authentication',
    '`GET /me` answers every valid key, whatever its scopes and the tier of its store',
    async () => {
      const free = await newStore({ tier: 'free' });
      const { body } = await get('/me', await keyWith(free.id, 'reports:read'));
      const store = { id: free.id, name: free.name, tier: 'free' };
      expect(body).toMatchObject({ key: { name: 'claims', scopes: ['reports:read'], expires_at: null }, store });
      expect(body.rate_limit).toEqual({ requests_per_minute: 60 });
      const refused = await post('/appointments', free.key, appointment);
      expect(expectProblem(refused, 'tier_required').required_tier).toBe('starter');
    },
  ],
  [
    'authentication',
    'A request without a key gets 401 `missing_api_key`, and one with an unknown, revoked or expired key 401 `invalid_api_key`.',
    async () => {
      expectProblem(await request('GET', '/me'), 'missing_api_key');
      expectProblem(await get('/me', 'mk_live_abcdefgh1234_0'), 'invalid_api_key');
    },
  ],
  [
    'authentication',
    'A key without it gets 403 `scope_required`, whose `required_scope` names it.',
    async ({ store }) => {
      const refused = await get('/leads', await keyWith(store, 'store:read'));
      expect(expectProblem(refused, 'scope_required').required_scope).toBe('leads:read');
    },
  ],
  [
    'idempotency',
    'The same request with the same key gets that answer again, with `Idempotent-Replay: true`',
    async ({ key }) => {
      const name = randomUUID();
      const first = await post('/appointments', key, appointment, { 'idempotency-key': name });
      const again = await post('/appointments', key, appointment, { 'idempotency-key': `"${name}"` });
      expect([again.status, again.body, again.headers.get('idempotent-replay')]).toEqual([201, first.body, 'true']);
      const other = { ...appointment, title: 'Other' };
      expectProblem(await post('/appointments', key, other, { 'idempotency-key': name }), 'idempotency_key_reused');
    },
  ],
  [
    'idempotency',
    'It belongs to the method and the path, so two operations may use the same text.',
    async ({ key }) => {
      const headers = { 'idempotency-key': randomUUID() };
      const phone = { name: 'Rui', whatsapp_id: '5511900000077' };
      const answers = [
        await post('/appointments', key, appointment, headers),
        await post('/sellers', key, phone, headers),
      ];
      expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    },
  ],
  [
    'errors',
    '400 `validation_failed` lists all faults at once, at most 50',
    async ({ key }) => {
      const unknown = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`unknown${n}`, n]));
      expect(faultsOf(await post('/appointments', key, unknown))).toHaveLength(50);
    },
  ],
  [
    'errors',
    'Nothing is converted: `"60"` is not a number. A member or parameter that the operation does not know is a fault, too',
    async ({ key }) => {
      const body = { ...appointment, duration_minutes: '60', colour: 'red' };
      const pointers = faultsOf(await post('/appointments', key, body)).map(({ pointer }: Json) => pointer);
      expect(pointers.sort()).toEqual(['#/colour', '#/duration_minutes']);
      expect(faultsOf(await get('/leads?colour=red', key))).toMatchObject([{ in: 'query', name: 'colour' }]);
    },
  ],
  [
    'errors',
    'in Brazilian Portuguese when `Accept-Language` prefers Portuguese. `Content-Language` says which.',
    async ({ key }) => {
      const { headers, body } = await get('/leads?limit=0', key, { 'accept-language': 'pt' });
      expect([headers.get('content-language'), body.title]).toEqual(['pt-BR', 'Requisição inválida']);
    },
  ],
  [
    'lists-and-sync',
    '`limit` has a default of 50 and a maximum of 200 (20 and 50 for knowledge documents, which carry their text).',
    async ({ key }) => {
      for (const [path, usual, most] of [
        ['/leads', 50, 200],
        ['/messages', 50, 200],
        ['/knowledge/documents', 20, 50],
      ] as const) {
        expect((await get(path, key)).body).toMatchObject({ page: 1, limit: usual, data: expect.any(Array) });
        expect((await get(`${path}?limit=${most}`, key)).status).toBe(200);
        expect(faultsOf(await get(`${path}?limit=${most + 1}`, key))).toMatchObject([{ name: 'limit' }]);
      }
    },
  ],
  [
    'lists-and-sync',
    '`GET /leads/{leadId}/sessions` has no pages: it answers a plain array.',
    async ({ key, lead }) => {
      expect(Array.isArray((await get(`/leads/${lead}/sessions`, key)).body)).toBe(true);
    },
  ],
  [
    'lists-and-sync',
    'takes several values, separated by commas: `status=pending,in_progress`',
    async ({ key, lead }) => {
      const { data } = (await get('/leads?status=pending,in_progress', key)).body;
      expect(data.map(({ id }: Json) => id)).toEqual([lead]);
    },
  ],
  [
    'events',
    '`next` is there also when `data` is empty.',
    async ({ key }) => {
      expect((await get('/events?after=-1', key)).body).toEqual({ data: [], next: expect.any(Number) });
    },
  ],
  [
    'events',
    'The section `webhooks` of the API document has every type with its exact data.',
    async ({ key }) => {
      const { webhooks, components } = await document('/openapi.json');
      const types: string[] = components.schemas.EventType.enum;
      expect(Object.keys(webhooks)).toEqual(expect.arrayContaining(types));
      expect((await get(`/events?types=${types.join(',')}`, key)).status).toBe(200);
      expect(faultsOf(await get('/events?types=lead.painted', key))).toMatchObject([{ in: 'query', name: 'types' }]);
    },
  ],
  [
    'webhooks',
    'The address is `https`, with the port 443 or 8443, and does not lead into a private network.',
    async ({ key }) => {
      for (const url of ['http://example.com/', 'https://example.com:9000/', 'https://10.0.0.1/'])
        expect(faultsOf(await post('/webhooks/endpoints', key, { url })), url).toMatchObject([{ pointer: '#/url' }]);
    },
  ],
  [
    'webhooks',
    'All three need an endpoint that is `enabled`. Otherwise they get 409 `webhook_endpoint_not_enabled`.',
    async ({ key }) => {
      const { id } = (await post('/webhooks/endpoints', key, { url: 'https://example.com/' })).body;
      const at = `/webhooks/endpoints/${id}`;
      await request('PATCH', at, { key, body: { status: 'paused' } });
      const refused = await post(`${at}/test`, key, undefined);
      expect(expectProblem(refused, 'webhook_endpoint_not_enabled').current_status).toBe('paused');
      expect((await request('DELETE', at, { key })).status).toBe(200);
    },
  ],
  [
    'messages-and-windows',
    'A store without a channel answers 409 `channel_not_connected`.',
    async ({ key, lead }) => {
      expectProblem(await post(`/leads/${lead}/messages`, key, { message: 'Oi' }), 'channel_not_connected');
    },
  ],
  [
    'messages-and-windows',
    'after a 409 `followup_not_pending` it was too late',
    async ({ key, lead }) => {
      const body = { lead_id: lead, message: 'Oi', delay_minutes: 600 };
      const { id } = (await post('/followups/scheduled', key, body)).body;
      const cancel = () => request('DELETE', `/followups/scheduled/${id}`, { key });
      expect((await cancel()).body).toEqual({ cancelled: true, id });
      expect(expectProblem(await cancel(), 'followup_not_pending').current_status).toBe('cancelled');
    },
  ],
  [
    'messages-and-windows',
    '`POST /agents/select` chooses the agent for a lead, `GET /knowledge/search` finds what the documents say',
    async ({ key, lead }) => {
      expect((await post('/agents/select', key, { lead_id: lead })).status).toBe(200);
      expect((await get('/knowledge/search?q=oi', key)).body).toEqual({ data: [], vectors: 'not_used' });
    },
  ],
  [
    'sandbox',
    'What the telephone does are requests below its address, without a key',
    async () => {
      const { id } = await newStore();
      const { sandbox_url } = await admin(['channel', 'connect', '--store', id, '--provider', 'sandbox']);
      const body = JSON.stringify({ customer_phone: '5511961234567', name: 'Ana Lima', text: 'Oi!' });
      const headers = { 'content-type': 'application/json' };
      expect((await fetch(`${sandbox_url}/messages`, { method: 'POST', headers, body })).status).toBe(200);
      const read = async (): Promise<Json> =>
        (await fetch(`${sandbox_url}/messages?customer_phone=5511961234567`)).json();
      const { messages } = await eventually(read, (conversation: Json) => conversation.messages.length > 0);
      expect(messages).toMatchObject([{ direction: 'inbound', text: 'Oi!' }]);
    },
  ],
  [
    'clients',
    '`GET /events?order=desc` with `types` and `limit=1`.',
    async ({ key, lead }) => {
      const sample = () => get('/events?order=desc&types=lead.created&limit=1', key);
      const { body } = await eventually(sample, (answer) => answer.body.data.length > 0);
      expect(body.data[0]).toMatchObject({ type: 'lead.created', entity: { id: lead } });
    },
  ],
];

let asked: Asked;
beforeAll(async () => {
  const store = await newStore();
  const lead = await post('/leads', store.key, { name: 'Ana', customer_phone: '+5511961234567' });
  asked = { key: store.key, store: store.id, lead: lead.body.id };
});

test.each(claims)('the guide %s is true: %s', async (guide, sentence, ask) => {
  const text = await (await fetch(`${gatewayUrl}/docs/guides/${guide}.md`)).text();
  expect(text.replaceAll('\n', ' ')).toContain(sentence);
  await ask(asked);
});
