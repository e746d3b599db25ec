import { beforeAll, expect, test } from 'vitest';
import { askAsPage, signInAs } from './people.ts';
import { admin, eventually, newStore, request, runAdmin } from './platform.ts';

type Store = { id: string; key: string; owner: string; manager: string };

let store: Store;
let other: Store;

const ask = (method: string, path: string, cookie: string, body?: unknown) => askAsPage(method, path, { cookie, body });

async function newStoreWithPeople(): Promise<Store> {
  const { id, key } = await newStore();
  const [owner, manager] = await Promise.all([signInAs(id, 'owner'), signInAs(id, 'manager')]);
  return { id, key, owner, manager };
}

beforeAll(async () => {
  [store, other] = await Promise.all([newStoreWithPeople(), newStoreWithPeople()]);
});

async function newLead(key: string): Promise<string> {
  const customer_phone = `55119${String(Math.floor(Math.random() * 1e8)).padStart(8, '0')}`;
  const { status, body, text } = await request('POST', '/leads', { key, body: { customer_phone, name: 'Ana' } });
  expect(status, text).toBe(201);
  return body.id;
}

test('an owner connects the sandbox and a feed, the manager sees both, and another store sees neither', async () => {
  const channel = await ask('PUT', '/channel', store.owner, { provider: 'sandbox' });
  expect([channel.status, channel.body.status]).toEqual([200, 'connected']);
  expect((await fetch(channel.body.sandbox_url)).status).toBe(200);
  const calendar = await ask('PUT', '/calendar', store.owner, { provider: 'feed' });
  expect([calendar.status, calendar.body.status]).toEqual([200, 'connected']);
  expect(await (await fetch(calendar.body.feed_url)).text()).toContain('BEGIN:VCALENDAR');
  expect((await ask('GET', '/channel', store.manager)).body).toEqual(channel.body);
  expect((await ask('GET', '/calendar', store.manager)).body).toEqual(calendar.body);
  for (const path of ['/channel', '/calendar']) {
    expect((await ask('GET', path, other.owner)).body).toMatchObject({ provider: null, status: 'not_connected' });
    expect((await ask('DELETE', path, store.manager)).body.code).toBe('role_required');
  }
});

test('a follow-up that waits for a channel is listed, and the owner of its store alone gives it up', async () => {
  const unconnected = await newStoreWithPeople();
  const { key, owner, manager } = unconnected;
  const lead_id = await newLead(key);
  const followup = { lead_id, message: 'Olá', delay_minutes: 0 };
  const made = await request('POST', '/followups/scheduled', { key, body: followup });
  expect(made.status, made.text).toBe(201);
  const { id } = made.body;
  const listed = await eventually(
    () => ask('GET', '/waiting?kind=followup', manager),
    ({ body }) => body.data[0]?.reason === 'not_connected',
  );
  expect(listed.body).toMatchObject({
    data: [{ kind: 'followup', id, lead_id, workflow_id: `followup:${id}` }],
    next_cursor: null,
    unavailable: [],
  });
  expect((await ask('GET', '/waiting', other.owner)).body.data).toEqual([]);

  const body = { kind: 'followup', ids: [id], dry_run: false };
  expect((await ask('POST', '/waiting/give-up', manager, body)).body.code).toBe('role_required');
  expect((await ask('POST', '/waiting/give-up', other.owner, body)).body).toMatchObject({
    done: 0,
    skipped: [{ id, why: 'not_waiting' }],
  });
  expect((await ask('POST', '/waiting/give-up', owner, { ...body, dry_run: true })).body).toMatchObject({ done: 1 });
  expect((await request('GET', `/followups/scheduled/${id}`, { key })).body.status).toBe('pending');
  expect((await ask('POST', '/waiting/give-up', owner, body)).body).toMatchObject({ done: 1, skipped: [] });
  expect((await request('GET', `/followups/scheduled/${id}`, { key })).body.status).toBe('cancelled');
});

test('the operator lists the same across stores, and gives it up with an entry in the audit log of the store', async () => {
  const { id: storeId, key, owner } = await newStoreWithPeople();
  const lead_id = await newLead(key);
  const made = await request('POST', '/followups/scheduled', {
    key,
    body: { lead_id, message: 'Olá', delay_minutes: 0 },
  });
  const { id } = made.body;
  await eventually(
    () => admin(['waiting', 'list', '--store', storeId, '--reason', 'not_connected']),
    ({ data }) => data[0]?.id === id,
  );
  const all = await admin(['waiting', 'list', '--kind', 'followup', '--limit', '10000']);
  expect(all.data).toContainEqual(expect.objectContaining({ store_id: storeId, id, kind: 'followup' }));
  const give = ['waiting', 'give-up', '--store', storeId, '--kind', 'followup', '--reason', 'not_connected'];
  expect(await admin([...give, '--dry-run'])).toMatchObject({ changes: [{ store_id: storeId, matched: 1, done: 1 }] });
  expect((await request('GET', `/followups/scheduled/${id}`, { key })).body.status).toBe('pending');
  expect(await admin(give)).toMatchObject({ dry_run: false, changes: [{ done: 1, skipped: {} }] });
  expect((await request('GET', `/followups/scheduled/${id}`, { key })).body.status).toBe('cancelled');
  const { body } = await ask('GET', '/audit-log?action=waiting.give_up', owner);
  expect(body.data).toMatchObject([
    { actor: { kind: 'operator', id: null }, details: { kind: 'followup', reason: 'not_connected' }, address: null },
  ]);
});

test('the doctor makes every check, and each process of the platform answers it', async () => {
  const { out } = await runAdmin(['doctor', '--json']);
  const { checks, processes, findings } = JSON.parse(out);
  expect(checks.map(({ state }: { state: string }) => state)).toEqual(checks.map(() => 'done'));
  expect(processes.map(({ process }: { process: string }) => process)).toEqual([
    ...['gateway', 'accounts', 'crm', 'scheduling', 'messaging', 'events', 'assistant', 'workflows'],
  ]);
  // Other tests may plant what waits. The platform itself is well.
  const critical = findings.filter(({ severity }: { severity: string }) => severity === 'critical');
  expect(critical.filter(({ what }: { what: string }) => !what.includes('wait'))).toEqual([]);
  const { services } = await admin(['secrets', 'reseal', '--dry-run']);
  expect(services.map(({ service }: { service: string }) => service)).toEqual([
    'scheduling',
    'messaging',
    'events',
    'assistant',
  ]);
});
