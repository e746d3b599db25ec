import { eventStream } from '@mostrador/testing/event-stream';
import { beforeAll, expect, test } from 'vitest';
import { addresses, admin, type Json, newStore, request } from './platform.ts';
import { expectProblem } from './problem.ts';

type Store = Awaited<ReturnType<typeof newStore>>;
let store: Store;
let other: Store;
let sandboxUrl: string;
beforeAll(async () => {
  [store, other] = await Promise.all([newStore(), newStore()]);
  sandboxUrl = (await admin(['channel', 'connect', '--store', store.id, '--provider', 'sandbox'])).sandbox_url;
});

const read = (query: string, key = store.key) => request('GET', `/events?${query}`, { key });

/** Reads the feed as the guide says, each time from `next`, until an event fulfils the condition. */
async function readUntil(query: string, isLast: (event: Json) => boolean, after = 0): Promise<Json[]> {
  const events: Json[] = [];
  let next = after;
  while (!events.some(isLast)) {
    const { status, body, text } = await read(`${query}after=${next}&wait=20`);
    expect(status, text).toBe(200);
    events.push(...body.data);
    next = body.next;
  }
  return events;
}

async function made(path: string, body: object): Promise<Json> {
  const answer = await request('POST', path, { key: store.key, body });
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const newLead = (phone: string) => made('/leads', { name: 'Maria', customer_phone: phone });

async function receive(phone: string, text: string): Promise<void> {
  const answer = await fetch(`${sandboxUrl}/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ customer_phone: phone, name: 'Maria', text }),
  });
  expect(answer.status, await answer.text()).toBe(200);
}

/** Opens the stream, and returns its events one by one. */
async function openStream(query = '', headers: Record<string, string> = {}) {
  const abort = new AbortController();
  const response = await fetch(`${addresses.base_url}/events/stream${query}`, {
    headers: { 'x-api-key': store.key, ...headers },
    signal: abort.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events = eventStream(response);
  return {
    next: async (): Promise<StreamedEvent> => {
      const { value } = await events.next();
      if (!value) throw new Error('the stream has ended');
      return { id: value.id ?? '', event: value.event ?? '', data: JSON.parse(value.data) };
    },
    close: () => abort.abort(),
  };
}

type StreamedEvent = { id: string; event: string; data: Json };

test('a lead, its appointment and its messages appear in the feed in order, with contiguous numbers', async () => {
  const phone = '5511960000101';
  const lead = await newLead(phone);
  const appointment = await made('/appointments', {
    title: 'Exame',
    scheduled_at: '2027-01-31T09:00:00Z',
    lead_id: lead.id,
  });
  await receive(phone, 'Oi');
  const answer = await request('POST', `/leads/${lead.id}/messages`, { key: store.key, body: { message: 'Olá' } });
  expect(answer.body).toMatchObject({ sent: true });

  const events = await readUntil('', ({ type, entity }) => type === 'message.sent' && entity.id === answer.body.id);
  expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  expect(events.every(({ store_id }) => store_id === store.id)).toBe(true);

  const about = (id: string) => events.filter(({ entity }) => entity.id === id);
  expect(about(lead.id)[0]).toMatchObject({
    type: 'lead.created',
    entity: { type: 'lead', id: lead.id },
    data: { lead_id: lead.id, object: { id: lead.id, name: 'Maria', customer_phone: phone } },
  });
  expect(about(appointment.id)).toMatchObject([
    { type: 'appointment.created', data: { appointment_id: appointment.id, lead_id: lead.id, object: appointment } },
  ]);
  const ofAnswer = about(answer.body.id);
  expect(ofAnswer.map(({ type }) => type).slice(0, 2)).toEqual(['message.queued', 'message.sent']);
  const versions = ofAnswer.map(({ entity }) => entity.version);
  expect(versions).toEqual(versions.toSorted((one, another) => one - another));
  const received = events.find(({ type }) => type === 'message.received');
  expect(received).toMatchObject({ data: { lead_id: lead.id, object: { body: 'Oi', direction: 'inbound' } } });

  const single = await request('GET', `/events/${received.id}`, { key: store.key });
  expect(single.body).toEqual(received);
});

const changed: readonly (readonly [path: string, body: object, change: object, previous: object])[] = [
  [
    '/leads',
    { name: 'Ana', customer_phone: '5511960000120' },
    { status: 'converted', name: 'Ana' },
    { status: 'pending' },
  ],
  ['/sellers', { name: 'Rui', whatsapp_id: '5511960000121' }, { is_active: false }, { is_active: true }],
  [
    '/appointments',
    { title: 'Exame', scheduled_at: '2027-01-31T09:00:00Z', metadata: { order: '1' } },
    { notes: 'Traz a receita', metadata: { room: '2' } },
    { notes: null, metadata: { order: '1' } },
  ],
];

test.each(changed)(
  'the event of a change in %s tells who made it, by which request, what it was, and the ETag to write with',
  async (path, body, change, previous) => {
    const { id } = await made(path, body);
    const answer = await request('PATCH', `${path}/${id}`, { key: store.key, body: change });
    expect(answer.status, answer.text).toBe(200);
    const event = (await readUntil(`entity_id=${id}&`, ({ type }) => type.endsWith('.updated'))).at(-1);
    expect(event).toMatchObject({
      actor: { kind: 'api_key', id: store.key.split('_')[2] },
      request_id: answer.headers.get('x-request-id'),
    });
    expect(event.previous).toEqual(previous);
    expect(event.data.object).toEqual(answer.body);
    const current = await request('GET', `${path}/${id}`, { key: store.key });
    expect(event.entity.etag).toBe(current.headers.get('etag'));
    const headers = { 'if-match': event.entity.etag };
    expect((await request('PATCH', `${path}/${id}`, { key: store.key, headers, body: change })).status).toBe(200);
  },
);

test('what comes through the channel and what the server does by itself have another actor, and no request', async () => {
  const phone = '5511960000130';
  await receive(phone, 'Oi');
  const [created] = (await readUntil('types=lead.created&', ({ data }) => data.object?.customer_phone === phone)).slice(
    -1,
  );
  expect(created).toMatchObject({ actor: { kind: 'channel' }, request_id: null, previous: null });
  const answer = await request('POST', `/leads/${created.entity.id}/messages`, {
    key: store.key,
    body: { message: 'Olá' },
  });
  const ofAnswer = await readUntil(`entity_id=${answer.body.id}&`, ({ type }) => type === 'message.sent');
  expect(ofAnswer.slice(0, 2)).toMatchObject([
    {
      ...{ actor: { kind: 'api_key' }, request_id: answer.headers.get('x-request-id'), entity: { etag: null } },
      data: { object: { author: { kind: 'api_key', id: store.key.split('_')[2], name: null } } },
    },
    { actor: { kind: 'system', id: null }, request_id: null },
  ]);
});

test('a sample begins with the newest event, and waits for none', async () => {
  const lead = await newLead('5511960000131');
  await readUntil('types=lead.created&', ({ entity }) => entity.id === lead.id);
  const { body } = await read('order=desc&types=lead.created&limit=1');
  expect(body.data).toMatchObject([{ entity: { id: lead.id } }]);
  expect((await read(`after=${body.next}&types=lead.created`)).body.data).toEqual([]);
  for (const query of ['after=1', 'wait=5']) {
    const { errors } = expectProblem(await read(`order=desc&${query}`), 'validation_failed') as Json;
    expect(errors).toMatchObject([{ in: 'query', name: query.split('=')[0] }]);
  }
  const { errors } = expectProblem(await read('types=lead.created,lead.exploded'), 'validation_failed') as Json;
  expect(errors[0].detail).toMatch(/^has the unknown value `lead.exploded`; must be one or several of: appointment/);
});

test('a request with wait gets an event that happens meanwhile', async () => {
  const { body: end } = await read('after=-1');
  expect(end.data).toEqual([]);
  const waiting = readUntil('types=lead.created&', () => true, end.next);
  const lead = await newLead('5511960000102');
  expect(await waiting).toMatchObject([{ type: 'lead.created', entity: { id: lead.id } }]);
});

test('types and entity_id select events, and next goes on after all that were looked through', async () => {
  const lead = await newLead('5511960000103');
  await request('PATCH', `/leads/${lead.id}`, { key: store.key, body: { name: 'Maria Souza' } });
  const ofLead = await readUntil(`entity_id=${lead.id}&`, ({ type }) => type === 'lead.updated');
  expect(ofLead.map(({ type }) => type)).toEqual(['lead.created', 'lead.updated']);
  const updates = await read(`types=lead.updated,lead.merged&entity_id=${lead.id}`);
  expect(updates.body.data).toEqual(ofLead.slice(1));
  expect(updates.body.next).toBeGreaterThanOrEqual(ofLead[1].sequence);
  const { body } = await read(`after=${updates.body.next}&types=seller.deleted`);
  expect(body.data).toEqual([]);
});

test('another store sees none of these events, and a key without the scope is refused', async () => {
  await newLead('5511960000104');
  await readUntil('', ({ data }) => data.object?.customer_phone === '5511960000104');
  expect((await read('after=0', other.key)).body).toEqual({ data: [], next: 0 });
  const { api_key: narrow } = await admin([
    ...['key', 'create', '--store', store.id, '--name', 'narrow', '--scopes', 'leads:read'],
  ]);
  for (const path of ['/events', '/events/stream']) {
    const refused = await request('GET', path, { key: narrow });
    expect(expectProblem(refused, 'scope_required').required_scope).toBe('events:read');
    expectProblem(await request('GET', path), 'missing_api_key');
  }
});

test('a cursor that the feed never had is expired, also for the stream', async () => {
  for (const path of ['/events?after=900000', '/events/stream?after=900000'])
    expectProblem(await request('GET', path, { key: store.key }), 'cursor_expired');
});

test.each([
  'after=-2',
  'after=first',
  'limit=0',
  'limit=201',
  'wait=21',
  'types=lead.exploded',
  'types=',
  'entity_id=1',
  'since=2027-01-31',
])('the parameter %s is refused', async (query) => {
  const { errors } = expectProblem(await read(query), 'validation_failed') as Json;
  expect(errors).toMatchObject([{ in: 'query', name: query.split('=')[0] }]);
});

test('the stream sends what happens, and resumes after the last event that a client got', async () => {
  const first = await openStream('?types=lead.created');
  const one = await newLead('5511960000105');
  const seen = await first.next();
  first.close();
  expect(seen).toMatchObject({ event: 'lead.created', data: { entity: { id: one.id } } });
  expect(seen.id).toBe(String(seen.data.sequence));

  const missed = await newLead('5511960000106');
  const second = await openStream('?types=lead.created', { 'last-event-id': seen.id });
  const next = await newLead('5511960000107');
  expect((await second.next()).data.entity.id).toBe(missed.id);
  expect((await second.next()).data.entity.id).toBe(next.id);
  second.close();

  const { body } = await read(`after=${seen.id}&types=lead.created`);
  expect(body.data.map(({ entity }: Json) => entity.id)).toEqual([missed.id, next.id]);
});

test('event tail of the admin command prints the same events', async () => {
  const lead = await newLead('5511960000108');
  await readUntil('', ({ entity }) => entity.id === lead.id);
  expect(await admin(['event', 'tail', '--store', store.id, '--entity', lead.id])).toMatchObject({
    type: 'lead.created',
    entity: { id: lead.id },
  });
});
