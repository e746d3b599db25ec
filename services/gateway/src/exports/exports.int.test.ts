import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { AppError } from '@mostrador/kit/rpc/errors';
import { waitFor } from '@mostrador/testing/wait';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { api, createClient, expectProblem } from '../../test/client.ts';
import { startTestGateway, type TestGateway } from '../../test/gateway.ts';
import { serveLeads, type TestLeads } from '../../test/leads.ts';
import { mostOfStore } from './running-exports.ts';

const url = `${api}/leads`;
const ndjson = { accept: 'application/x-ndjson' };
const csv = { accept: 'text/csv' };

let gateway: TestGateway;
let leads: TestLeads;
let port: number;
let storeId: string;
let keyId: string;
let apiKey: string;
let send: ReturnType<typeof createClient>['send'];

beforeAll(async () => {
  gateway = await startTestGateway();
  leads = await serveLeads(gateway);
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  port = (gateway.app.server.address() as AddressInfo).port;
});
beforeEach(async () => {
  const made = await gateway.newStore();
  [storeId, keyId, apiKey] = [made.store.id, made.key.id, made.apiKey];
  ({ send } = createClient(gateway, apiKey));
  leads.reset();
});
afterAll(() => gateway?.stop());

const rowsOf = (body: string) =>
  body
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

/** Begins an export over a socket. No byte of the body is read yet. */
async function begin(headers: Record<string, string> = ndjson): Promise<IncomingMessage> {
  const sent = request({
    host: '127.0.0.1',
    port,
    path: url,
    headers: { 'x-api-key': apiKey, ...headers },
    agent: false,
  });
  const [response] = await once(sent.end(), 'response');
  return response;
}

const running = async () =>
  Number(/^mostrador_exports(?:\{.*\})? (\d+)$/m.exec(await gateway.metrics.registry.metrics())?.[1]);
const untilRunning = (count: number) =>
  waitFor(async () => (await running()) === count, { description: `${count} exports run` });

test('NDJSON has every row of the store that the filters show once, a line each, and is one request of the rate', async () => {
  const lost = leads.fill(storeId, 2_345, { status: 'lost', name: 'a "b"\n; ç\u2028', tags: ['x'] });
  leads.fill(storeId, 300);
  const { store: other, apiKey: keyOfOther } = await gateway.newStore();
  const ofOther = leads.fill(other.id, 1);

  const before = Number(/r=(\d+)/.exec(String((await send(`${url}?limit=1`)).headers.ratelimit))?.[1]);
  leads.asked.length = 0;
  const answer = await send(`${url}?status=lost`, { headers: ndjson });
  expect(answer.statusCode).toBe(200);
  expect(answer.headers).toMatchObject({
    'content-type': 'application/x-ndjson',
    'cache-control': 'no-store',
    vary: expect.stringContaining('Accept'),
    'x-request-id': expect.any(String),
  });
  expect(rowsOf(answer.body)).toEqual(lost);
  expect(leads.asked.length).toBeGreaterThan(10);
  // A second may pass, in which 100 come back.
  expect(before - Number(/r=(\d+)/.exec(String(answer.headers.ratelimit))?.[1])).toBeLessThanOrEqual(1);

  expect(rowsOf((await send(url, { headers: ndjson, key: keyOfOther })).body)).toEqual(ofOther);
  const { apiKey: empty } = await gateway.newStore();
  expect((await send(url, { headers: ndjson, key: empty })).body).toBe('');
});

test('CSV has a column for each member, nested ones as JSON, and no cell that begins a formula', async () => {
  leads.fill(storeId, 60);
  const [odd] = leads.fill(storeId, 1, { name: '=1+1, "x"\r\n', tags: ['a', 'b'], metadata: { plan: 'gold' } });
  const answer = await send(url, { headers: csv });
  expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present');
  const [header, ...lines] = answer.body.split('\r\n');
  expect(header).toBe(
    'id,store_id,name,customer_phone,status,seller_id,external_id,email,tags,metadata,interaction_count,' +
      'ai_paused_until,opted_out_at,channel_user_id,username,ai_paused_by,previous_lead_id,created_at,updated_at',
  );
  expect(lines).toHaveLength(63);
  expect(answer.body).toContain(
    `${odd?.id},${storeId},"'=1+1, ""x""\r\n",5511961234567,pending,,,,"[""a"",""b""]","{""plan"":""gold""}",0,,,,,,,` +
      '2026-11-21T00:00:00.000Z,2026-11-21T00:00:00.000Z\r\n',
  );
  const { apiKey: empty } = await gateway.newStore();
  expect((await send(url, { headers: csv, key: empty })).body).toBe(`${header}\r\n`);
});

test('without a media type of an export the answer is the page as before', async () => {
  leads.fill(storeId, 60);
  for (const accept of ['*/*', 'text/*', 'application/json', 'application/json, application/x-ndjson, text/csv']) {
    const answer = await send(url, { headers: { accept } });
    expect(answer.json(), accept).toMatchObject({ total: 60, page: 1, limit: 50 });
    expect(answer.headers.vary).toContain('Accept');
  }
});

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
  ['zstd', zstdDecompressSync],
])('an export is compressed with %s', async (coding, unpack) => {
  const all = leads.fill(storeId, 500);
  const answer = await send(url, { headers: { ...ndjson, 'accept-encoding': coding } });
  expect(answer.headers).toMatchObject({ 'content-encoding': coding, 'content-type': 'application/x-ndjson' });
  expect(answer.rawPayload.length).toBeLessThan(60_000);
  expect(rowsOf(unpack(answer.rawPayload).toString())).toEqual(all);
});

test('a client that reads slowly makes the gateway read no further than it', async () => {
  const all = leads.fill(storeId, 1_500, { name: 'x'.repeat(19_000) });
  const response = await begin();
  const pages = () => leads.asked.filter(({ limit }) => limit !== 1).length;
  // It reads on as far as the buffers of the connection reach. Meanwhile other requests to the service are answered.
  let [before, quietFor] = [0, 0];
  while (pages() < 4 || quietFor < 5) {
    await send(`${url}?limit=1`);
    quietFor = pages() === before ? quietFor + 1 : 0;
    before = pages();
  }
  expect(pages() * 20).toBeLessThan(1_000);
  expect(rowsOf(await text(response)).map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  await untilRunning(0);
});

test('a client that leaves ends the walk and frees its place; while all places of a store are taken, one more is refused', async () => {
  leads.fill(storeId, 3_000, { name: 'x'.repeat(19_000) });
  const opened = await Promise.all(Array.from({ length: mostOfStore }, () => begin()));
  await untilRunning(mostOfStore);
  const refused = await send(url, { headers: ndjson });
  expectProblem(refused, 429, 'quota_exceeded');
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  const { apiKey: keyOfOther } = await gateway.newStore();
  expect((await send(url, { headers: ndjson, key: keyOfOther })).statusCode).toBe(200);
  for (const response of opened) response.destroy();
  await untilRunning(0);
  expect(leads.asked.length * 20).toBeLessThan(3_000);

  leads.state.isDown = true;
  expectProblem(await send(url, { headers: ndjson }), 503, 'service_unavailable');
  await untilRunning(0);
});

test('a service that is away for a moment in the middle costs no row and repeats none', async () => {
  const all = leads.fill(storeId, 2_000);
  leads.before.page = ({ cursor }) => {
    if (Number(cursor ?? 0) < 500) return;
    leads.before.page = undefined;
    leads.state.isDown = true;
    throw new AppError('service_unavailable');
  };
  const response = await begin();
  const body = text(response);
  await waitFor(() => leads.state.isDown, { description: 'the service is away' });
  leads.state.isDown = false;
  expect(rowsOf(await body)).toEqual(all);
});

const dieInTheMiddle = () => {
  leads.before.page = ({ cursor }) => {
    if (Number(cursor ?? 0) >= 500) throw new AppError('internal_error');
  };
};

test.each([[undefined], ['gzip']])(
  'a failure in the middle is an error for the client, and not the end of the rows (coding %s)',
  async (coding) => {
    leads.fill(storeId, 2_000);
    dieInTheMiddle();
    const response = await begin({ ...ndjson, ...(coding && { 'accept-encoding': coding }) }).catch((error) => error);
    // A compressed response may not have begun.
    const body = response instanceof Error ? Promise.reject(response) : text(response);
    await expect(body).rejects.toMatchObject({ code: 'ECONNRESET' });
    await untilRunning(0);
  },
);

test('a client of HTTP/1.0, such as a proxy, gets a reset: a closed connection would be the end of the rows', async () => {
  leads.fill(storeId, 2_000);
  dieInTheMiddle();
  const socket = connect(port, '127.0.0.1');
  socket.write(`GET ${url} HTTP/1.0\r\nHost: a\r\nX-API-Key: ${apiKey}\r\nAccept: text/csv\r\n\r\n`);
  await expect(text(socket)).rejects.toMatchObject({ code: 'ECONNRESET' });
});

test('an export breaks off when its key is revoked', async () => {
  const all = leads.fill(storeId, 3_000, { name: 'x'.repeat(19_000) });
  const response = await begin();
  await waitFor(() => leads.asked.length > 3, { description: 'some pages were read' });
  await gateway.revokeKey(keyId);
  await waitFor(async () => (await send(url)).statusCode === 401, { description: 'the key is revoked' });
  await expect(text(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(leads.asked.length * 20).toBeLessThan(all.length);
});

test('who may not read the list may not export it, and what is wrong is said before the first row', async () => {
  leads.fill(storeId, 300);
  expectProblem(await send(url, { headers: ndjson, key: null }), 401, 'missing_api_key');
  const { apiKey: withoutScope } = await gateway.newStore({ scopes: ['messages:read'] });
  expectProblem(await send(url, { headers: csv, key: withoutScope }), 403, 'scope_required');
  expectProblem(await send(`${url}?status=odd`, { headers: csv }), 400, 'validation_failed');
  const problem = expectProblem(await send(`${url}?page=2&limit=5`, { headers: ndjson }), 400, 'validation_failed');
  expect(problem.errors.map(({ name }: { name: string }) => name)).toEqual(['page', 'limit']);
  // An interrupted walk along `Link` continues as an export.
  expect(rowsOf((await send(`${url}?cursor=250`, { headers: ndjson })).body)).toEqual(leads.rows.slice(250));
});

test('HEAD answers the headers of the export, and reads one row', async () => {
  leads.fill(storeId, 300);
  const answer = await send(url, { headers: csv, method: 'HEAD' });
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8; header=present']);
  expect(answer.headers).not.toHaveProperty('content-length');
  expect(leads.asked).toMatchObject([{ limit: 1 }]);
});

// The last one: the gateway is that of all tests.
test('a gateway that stops breaks its exports off, also one whose client reads nothing', async () => {
  leads.fill(storeId, 3_000, { name: 'x'.repeat(19_000) });
  const response = await begin();
  await untilRunning(1);
  const closed = once(gateway.app.server, 'close');
  void gateway.app.close();
  await closed;
  await expect(text(response)).rejects.toMatchObject({ code: 'ECONNRESET' });
});
