import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { addresses, admin, eventually, fileOf, type Json, newStore, request, storeOf } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;
const call = (method: string, path: string, options: Parameters<typeof request>[2] = {}) =>
  request(method, path, { key: store.key, ...options });
const made = async (path: string, body: object): Promise<Json> => {
  const answer = await call('POST', path, { body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
};
let phones = 0;
const newLead = (body: object = {}) => {
  phones += 1;
  return made('/leads', { name: `Lead ${phones}`, customer_phone: String(5511900001000 + phones), ...body });
};
const newSeller = () => made('/sellers', { name: 'Rui', whatsapp_id: '5511900000001' });

beforeAll(async () => {
  store = await newStore();
});

test('the Link headers lead through a list with any query', async () => {
  const seller = await newSeller();
  const leads = [];
  for (let n = 0; n < 5; n += 1) leads.push(await newLead({ seller_id: seller.id }));
  const after = encodeURIComponent('2020-01-01T00:00:00+01:00');
  let answer = await call('GET', `/leads?seller_id=${seller.id}&created_after=${after}&limit=2&page=1`);
  expect(answer.body).toMatchObject({ total: 5, page: 1, limit: 2 });
  const walked = [...answer.body.data];
  for (let link = answer.headers.get('link'); link; link = answer.headers.get('link')) {
    const next = /^<([^>]+)>; rel="next"$/.exec(link)?.[1] ?? '';
    expect(next.startsWith(`${addresses.base_url}/leads?`)).toBe(true);
    answer = await call('GET', next.slice(addresses.base_url.length));
    walked.push(...answer.body.data);
  }
  expect(walked).toEqual(leads.reverse());
});

const exported = async (path: string, key: string, accept: string): Promise<string> => {
  const response = await fetch(`${addresses.base_url}${path}`, { headers: { 'x-api-key': key, accept } });
  expect([response.status, response.headers.get('content-type')]).toEqual([200, expect.stringContaining(accept)]);
  return await response.text();
};
const rowsOf = (ndjson: string): Json[] =>
  ndjson
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));

test('an export has the rows that the pages of the list have, in their order', async () => {
  const { id, key } = await newStore();
  const lines = Array.from({ length: 230 }, (_, n) => `Lead ${n},${5511900002000 + n},${n % 2 ? 'lost' : 'pending'}`);
  const file = fileOf('leads.csv', `name,customer_phone,status\n${lines.join('\n')}\n`);
  await admin(['lead', 'import', file, '--store', id]);
  const { body } = await request('GET', '/leads?status=lost&sort=created_at&limit=200', { key });
  expect(body.data).toHaveLength(115);
  const query = '/leads?status=lost&sort=created_at';
  expect(rowsOf(await exported(query, key, 'application/x-ndjson'))).toEqual(body.data);
  const csv = await exported(query, key, 'text/csv');
  expect(csv.split('\r\n').map((line) => line.slice(0, 36))).toEqual([
    ...[expect.stringContaining('id,store_id,name'), ...body.data.map((lead: Json) => lead.id), ''],
  ]);
  const all = rowsOf(await exported('/leads', key, 'application/x-ndjson'));
  expect(new Set(all.map((lead) => lead.id)).size).toBe(230);
  expect(all).toHaveLength(230);
});

test.each(['/messages', '/appointments'])('the list %s is exported too', async (path) => {
  const { api_key: key } = storeOf('pro');
  const { body } = await request('GET', `${path}?limit=5`, { key });
  const ids = rowsOf(await exported(path, key, 'application/x-ndjson')).map((row) => row.id);
  expect(ids).toEqual(expect.arrayContaining(body.data.map((row: Json) => row.id)));
  expect(await exported(path, key, 'text/csv')).toMatch(/^id,/);
});

test('a client that polls by updated_after gets each change', async () => {
  const { id, updated_at } = await newLead();
  await call('PATCH', `/leads/${id}`, { body: { status: 'converted' } });
  const answer = await eventually(
    () => call('GET', `/leads?sort=updated_at&updated_after=${updated_at}`),
    ({ body }) => body.total > 0,
  );
  expect(answer.body.data).toMatchObject([{ id, status: 'converted' }]);
});

test('every error of a query is reported at once', async () => {
  const answer = await call('GET', '/leads?status=won&seller_id=nobody&limit=201&sort=name&updated_after=today&x=1');
  const names = expectProblem(answer, 'validation_failed').errors.map((fault: Json) => fault.name);
  expect(names.sort()).toEqual(['limit', 'seller_id', 'sort', 'status', 'updated_after', 'x']);
});

test('a lead changes under its current ETag, and a stale ETag is rejected', async () => {
  const { id } = await newLead();
  const read = await call('GET', `/leads/${id}`);
  const headers = { 'if-match': read.headers.get('etag') ?? '' };
  const changed = await call('PATCH', `/leads/${id}`, { headers, body: { name: 'Ana', ai_paused_until: null } });
  expect([changed.status, changed.body.name]).toEqual([200, 'Ana']);
  expect(changed.headers.get('etag')).not.toBe(headers['if-match']);
  expectProblem(await call('PATCH', `/leads/${id}`, { headers, body: { name: 'Eva' } }), 'version_mismatch');
  const unchanged = await call('GET', `/leads/${id}`, {
    headers: { 'if-none-match': changed.headers.get('etag') ?? '' },
  });
  expect(unchanged.status).toBe(304);
});

test('a store has one lead per phone, and the rejection names that lead', async () => {
  const { id, customer_phone } = await newLead();
  const again = await call('POST', '/leads', { body: { name: 'Again', customer_phone } });
  expect(expectProblem(again, 'lead_exists').id).toBe(id);
});

test('a lead is found by the external id, email and tag that the store gave it, and by nothing of another store', async () => {
  const body = {
    external_id: 'ERP 1/2',
    email: 'Maria@Example.com',
    tags: ['vip', 'olá você'],
    metadata: { plan: 'gold' },
  };
  const lead = await newLead(body);
  expect(lead).toMatchObject(body);
  const other = await newStore();
  for (const filter of [
    'external_id=ERP%201/2',
    'email=maria@example.com',
    'tag=ol%C3%A1%20voc%C3%AA,nobody',
    'tag=vip&status=pending,lost',
  ]) {
    expect((await call('GET', `/leads?${filter}`)).body, filter).toMatchObject({ data: [lead], total: 1 });
    expect((await call('GET', `/leads?${filter}`, { key: other.key })).body.total).toBe(0);
  }
  const taken = await newLead();
  const refused = await call('PATCH', `/leads/${taken.id}`, { body: { external_id: 'ERP 1/2' } });
  expect(expectProblem(refused, 'external_id_exists').id).toBe(lead.id);
  const again = await call('POST', '/leads', { body: { ...body, name: 'x', customer_phone: '5511900009999' } });
  expect(expectProblem(again, 'external_id_exists').id).toBe(lead.id);
  for (const { text } of [refused, again]) expect(text).not.toMatch(/ERP|Maria/);
});

test('PUT by phone creates a lead once and then changes it, whatever the form of the phone', async () => {
  const put = (phone: string, body: object, headers: Record<string, string> = {}) =>
    call('PUT', `/leads/by-phone/${encodeURIComponent(phone)}`, { body, headers });
  const key = { 'idempotency-key': randomUUID() };
  const created = await put('+55 (11) 98888-7777', { name: 'Maria', tags: ['vip'] }, key);
  expect([created.status, created.body.created, created.body.customer_phone]).toEqual([201, true, '5511988887777']);
  // The path is the same in another form, so this is a retry.
  const retry = await put('5511988887777', { tags: ['vip'], name: 'Maria' }, key);
  expect([retry.status, retry.text, retry.headers.get('idempotent-replay')]).toEqual([201, created.text, 'true']);
  const etag = created.headers.get('etag') ?? '';
  const changed = await put('5511988887777', { name: 'Maria S.' }, { 'if-match': etag });
  expect([changed.status, changed.body]).toMatchObject([200, { created: false, id: created.body.id, tags: ['vip'] }]);
  expectProblem(await put('5511988887777', { name: 'Eva' }, { 'if-match': etag }), 'version_mismatch');
  expect(await call('GET', `/leads?customer_phone=5511988887777`)).toMatchObject({ body: { total: 1 } });
  const wrong = expectProblem(await put('12', { name: 1 }), 'validation_failed');
  expect(wrong.errors).toMatchObject([
    { in: 'path', name: 'phone' },
    { pointer: '#/name', detail: 'must be a string' },
  ]);
  expectProblem(await call('GET', '/leads/by-phone/5511988887777'), 'method_not_allowed');
});

test('PUT by phone with If-None-Match: * finds or creates, and overwrites nothing', async () => {
  const path = '/leads/by-phone/5511988880000';
  const find = (body: object, headers: Record<string, string> = {}) =>
    call('PUT', path, { body, headers: { 'if-none-match': '*', ...headers } });
  const none = expectProblem(await call('PUT', path, { body: {} }), 'validation_failed');
  expect(none.errors).toEqual([{ pointer: '#/name', detail: 'is required to create the lead' }]);
  const key = { 'idempotency-key': randomUUID() };
  const created = await find({ name: 'Maria', tags: ['vip'] }, key);
  expect([created.status, created.body.created]).toEqual([201, true]);
  const retry = await find({ name: 'Maria', tags: ['vip'] }, key);
  expect([retry.status, retry.text, retry.headers.get('idempotent-replay')]).toEqual([201, created.text, 'true']);
  expect(expectProblem(await find({ name: 'Eva', tags: [] }), 'version_mismatch').id).toBe(created.body.id);
  const { created: _, ...lead } = created.body;
  expect((await call('GET', `/leads/${lead.id}`)).body).toEqual(lead);
  const kept = await call('PUT', path, { body: { status: 'converted' } });
  expect([kept.status, kept.body]).toMatchObject([200, { created: false, name: 'Maria', status: 'converted' }]);
  const tagged = expectProblem(await find({ name: 'Eva' }, { 'if-none-match': '"v1"' }), 'validation_failed');
  expect(tagged.errors).toMatchObject([{ in: 'header', name: 'If-None-Match' }]);
});

test('only an active seller of the store can get a lead', async () => {
  const { id } = await newLead();
  const seller = await newSeller();
  await call('PATCH', `/sellers/${seller.id}`, { body: { is_active: false } });
  const give = (seller_id: string | null) => call('PATCH', `/leads/${id}`, { body: { seller_id } });
  expectProblem(await give(seller.id), 'seller_inactive');
  expectProblem(await give(randomUUID()), 'seller_not_found');
  expect((await give(null)).body.seller_id).toBeNull();
});

test('a deleted seller is gone, and their leads have no seller', async () => {
  const seller = await newSeller();
  const lead = await newLead({ seller_id: seller.id });
  const remove = (headers: Record<string, string>) => call('DELETE', `/sellers/${seller.id}`, { headers });
  expectProblem(await remove({ 'if-match': '"v9"' }), 'version_mismatch');
  const deleted = await remove({ 'content-type': 'application/json' });
  expect([deleted.status, deleted.body]).toEqual([200, { deleted: true, id: seller.id }]);
  expectProblem(await remove({}), 'seller_not_found');
  expectProblem(await call('GET', `/sellers/${seller.id}`), 'seller_not_found');
  expect((await call('GET', `/leads/${lead.id}`)).body.seller_id).toBeNull();
});
