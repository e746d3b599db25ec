import { randomUUID } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import { daysAhead, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

let store: Awaited<ReturnType<typeof newStore>>;
const call = (method: string, path: string, options: Parameters<typeof request>[2] = {}) =>
  request(method, path, { key: store.key, ...options });

beforeAll(async () => {
  store = await newStore({ tier: 'starter' });
});

test('a created appointment has the default values, and a read returns the same', async () => {
  const before = Date.now();
  const created = await call('POST', '/appointments', {
    body: { title: '  Exame de vista ', scheduled_at: '2027-01-31T09:00:00Z' },
  });
  expect(created.status).toBe(201);
  expect(created.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
    store_id: store.id,
    lead_id: null,
    title: 'Exame de vista',
    scheduled_at: '2027-01-31T09:00:00.000Z',
    duration_minutes: 60,
    seller_id: null,
    service_id: null,
    confirmed_at: null,
    status: 'scheduled',
    notes: null,
    metadata: {},
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    updated_at: created.body.created_at,
  });
  expect(Date.parse(created.body.created_at)).toBeGreaterThanOrEqual(before - 1000);
  const read = await call('GET', `/appointments/${created.body.id}`);
  expect(read.body).toEqual(created.body);
  expect(read.headers.get('etag')).toBe(created.headers.get('etag'));
  const unchanged = await call('GET', `/appointments/${created.body.id}`, {
    headers: { 'if-none-match': read.headers.get('etag') ?? '' },
  });
  expect([unchanged.status, unchanged.text]).toEqual([304, '']);
});

test('the ETag of a compressed read is good for a conditional read and for a conditional change', async () => {
  const { body } = await call('POST', '/appointments', {
    body: { title: 'Exame', scheduled_at: '2027-01-31T09:00:00Z', notes: 'Trazer a receita. '.repeat(100) },
  });
  const path = `/appointments/${body.id}`;
  const read = await call('GET', path, { headers: { 'accept-encoding': 'gzip' } });
  expect(read.headers.get('content-encoding')).toBe('gzip');
  const plain = await call('GET', path, { headers: { 'accept-encoding': 'identity' } });
  expect(plain.headers.get('content-encoding')).toBeNull();
  expect(read.body).toEqual(plain.body);
  const etag = read.headers.get('etag') ?? '';
  expect(etag).not.toBe(plain.headers.get('etag'));

  const again = await call('GET', path, { headers: { 'if-none-match': etag } });
  expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
  const change = { body: { title: 'Retorno' }, headers: { 'if-match': etag } };
  expect((await call('PATCH', path, change)).status).toBe(200);
  expectProblem(await call('PATCH', path, change), 'version_mismatch');
});

test('an appointment can be linked to a lead of the store', async () => {
  const lead = await call('POST', '/leads', { body: { name: 'Ana', customer_phone: '5511900000010' } });
  const body = {
    title: 'Exame',
    scheduled_at: '2020-02-29T23:59:59.9999+14:00',
    duration_minutes: 1440,
    notes: 'x',
    lead_id: lead.body.id,
  };
  const created = await call('POST', '/appointments', { body });
  expect(created.body).toMatchObject({
    lead_id: lead.body.id,
    duration_minutes: 1440,
    notes: 'x',
    status: 'scheduled',
  });
  expect(created.body.scheduled_at).toMatch(/^2020-02-29T09:59:59\.999Z$/);
  const listed = await call('GET', `/appointments?lead_id=${lead.body.id}`);
  expect(listed.body).toEqual({ data: [created.body], total: 1, page: 1, limit: 50 });
});

test('fifty concurrent requests with one key create one appointment and get the same answer', async () => {
  const key = randomUUID();
  const before = (await call('GET', '/appointments')).body.total;
  const body = { title: 'Only once', scheduled_at: daysAhead(3).toISOString() };
  const send = (headers: Record<string, string>, sent: object = body) =>
    call('POST', '/appointments', { body: sent, headers });
  const answers = await Promise.all(Array.from({ length: 50 }, () => send({ 'idempotency-key': key })));

  const made = answers.filter(({ status }) => status === 201);
  const waiting = answers.filter(({ status }) => status !== 201);
  for (const answer of waiting) expectProblem(answer, 'idempotency_in_progress');
  expect(made.filter(({ headers }) => headers.get('idempotent-replay') !== 'true')).toHaveLength(1);
  expect(new Set(made.map(({ text }) => text)).size).toBe(1);
  expect((await call('GET', '/appointments')).body.total).toBe(before + 1);

  const reordered = await send(
    { 'idempotency-key': `"${key}"` },
    { scheduled_at: body.scheduled_at, title: body.title },
  );
  expect([reordered.status, reordered.text]).toEqual([201, made[0]?.text]);
  expect(reordered.headers.get('idempotent-replay')).toBe('true');
  expect(reordered.headers.get('etag')).toBe(made[0]?.headers.get('etag'));
});

test('one idempotency key in two stores or at two endpoints identifies different requests', async () => {
  const other = await newStore();
  const headers = { 'idempotency-key': randomUUID() };
  const body = { title: 'Exame', scheduled_at: daysAhead(4).toISOString() };
  const answers = await Promise.all([
    call('POST', '/appointments', { headers, body }),
    request('POST', '/appointments', { key: other.key, headers, body }),
    call('POST', '/leads', { headers, body: { name: 'Ana', customer_phone: '5511900000011' } }),
  ]);
  expect(answers.map(({ status, headers }) => [status, headers.get('idempotent-replay')])).toEqual(
    Array(3).fill([201, null]),
  );
  expect(new Set(answers.map(({ body }) => body.id)).size).toBe(3);
});

test('a scheduled appointment can change, and a change to the same values keeps its version', async () => {
  const created = await call('POST', '/appointments', {
    body: { title: 'Exame', scheduled_at: daysAhead(5).toISOString(), notes: 'old' },
  });
  const change = (body: object) => call('PATCH', `/appointments/${created.body.id}`, { body });
  const same = await change({ title: 'Exame' });
  expect(same.body).toEqual(created.body);
  expect(same.headers.get('etag')).toBe(created.headers.get('etag'));
  const changed = await change({ notes: null, duration_minutes: 30 });
  expect(changed.body).toMatchObject({ id: created.body.id, title: 'Exame', notes: null, duration_minutes: 30 });
  expect(changed.headers.get('etag')).not.toBe(created.headers.get('etag'));
  expect((await change({ status: 'done' })).body.status).toBe('done');
});

test('the Link headers lead to every appointment once, in the order of their times', async () => {
  const own = await newStore();
  const made: string[] = [];
  for (const days of [9, 7, 8, 7, 6]) {
    const body = { title: `In ${days}`, scheduled_at: daysAhead(days).toISOString() };
    made.push((await request('POST', '/appointments', { key: own.key, body })).body.id);
  }
  const from = encodeURIComponent(daysAhead(7).toISOString());
  const met: { id: string; scheduled_at: string }[] = [];
  let next: string | undefined = `/appointments?limit=2&from=${from}`;
  while (next) {
    const page: Awaited<ReturnType<typeof request>> = await request('GET', next, { key: own.key });
    expect(page.body).toMatchObject({ total: 4, limit: 2 });
    met.push(...page.body.data);
    const link = page.headers.get('link')?.match(/<([^>]+)>; rel="next"/)?.[1];
    next = link?.slice(link.indexOf('/appointments'));
    expect(met.length).toBeLessThanOrEqual(4);
  }
  expect(met.map(({ id }) => id).sort()).toEqual(made.slice(0, 4).sort());
  expect(met.map(({ scheduled_at }) => scheduled_at)).toEqual(met.map(({ scheduled_at }) => scheduled_at).sort());
});

test('an appointment of a store without a calendar shows that no calendar is connected', async () => {
  const created = await call('POST', '/appointments', {
    body: { title: 'Exame', scheduled_at: daysAhead(6).toISOString() },
  });
  const sync = await call('GET', `/appointments/${created.body.id}/calendar-sync`);
  expect(sync.body).toEqual({
    state: 'not_connected',
    provider: null,
    event_id: null,
    attempts: 0,
    last_error: null,
    reason: null,
    next_attempt_at: null,
    synced_at: null,
  });
});
