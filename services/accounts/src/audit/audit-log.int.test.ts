import {
  type AuditEntry,
  createStoreKey,
  listAuditLog,
  type RequestOf,
  recordChange,
  removeUser,
  updateStore,
} from '@mostrador/contracts';
import { expect, test } from 'vitest';
import { accountsForFile } from '../../test/accounts.ts';
import { client, createPeople } from '../../test/people.ts';

const accounts = accountsForFile();
const people = createPeople(accounts);

const read = (token: string, query: RequestOf<typeof listAuditLog>['query'] = {}) =>
  people.ask(listAuditLog, { query }, token);
const actions = (entries: readonly AuditEntry[]) => entries.map(({ action }) => action);

test('an owner reads who did what, on what, when and from where, newest first', async () => {
  const owner = await people.signedIn();
  const body = { name: 'Site', scopes: ['leads:read' as const], expires_at: null };
  const { key } = await people.ask(createStoreKey, { body }, owner.token);
  await accounts.admin(updateStore, { body: { store_id: owner.store, name: 'Ótica Sul' } });
  const { data, next_cursor } = await read(owner.token);
  const operator = { actor: { kind: 'operator', id: null, name: null }, address: null, details: null };
  const ana = { actor: { kind: 'user', id: owner.userId, name: 'Ana' }, address: client.address, details: null };
  const rest = { id: expect.any(String), at: expect.stringMatching(/Z$/) };
  expect(data).toEqual([
    {
      ...operator,
      ...rest,
      action: 'store.changed',
      subject: { id: owner.store, name: null },
      details: { changed: ['name'] },
    },
    {
      ...ana,
      ...rest,
      action: 'key.created',
      subject: { id: key.id, name: 'Site' },
      details: { scopes: ['leads:read'] },
    },
    {
      ...ana,
      ...rest,
      action: 'session.opened',
      subject: { id: owner.session.id, name: null },
      details: { method: 'link' },
    },
    {
      ...operator,
      ...rest,
      action: 'user.invited',
      subject: { id: owner.userId, name: 'Ana' },
      details: { role: 'owner' },
    },
    { ...operator, ...rest, action: 'store.created', subject: { id: owner.store, name: null } },
  ]);
  expect(next_cursor).toBeNull();
});

test('a person who has left is shown by their address, and a name that another store gave is never shown', async () => {
  const owner = await people.signedIn();
  const email = people.newEmail();
  await people.signedIn(undefined, email);
  const { userId } = await people.signedIn(owner.store, email, 'manager');
  await accounts.admin(removeUser, { body: { store_id: owner.store, email } });
  const stranger = await people.signedIn();
  await people.ask(recordChange, { body: { action: 'leads.update', subject_id: stranger.userId } }, owner.token);
  const { data } = await read(owner.token);
  const namesOf = (id: string) => data.filter(({ subject }) => subject.id === id).map(({ subject }) => subject.name);
  expect(namesOf(userId)).toEqual([email, email]);
  expect(data.find(({ actor }) => actor.id === userId)?.actor.name).toBe(email);
  expect(namesOf(stranger.userId)).toEqual([null]);
});

test('it filters by person, action and period', async () => {
  const owner = await people.signedIn();
  const manager = await people.signedIn(owner.store, undefined, 'manager');
  const all = (await read(owner.token)).data;
  expect(actions((await read(owner.token, { actor_id: manager.userId })).data)).toEqual(['session.opened']);
  expect(actions((await read(owner.token, { action: 'user.invited' })).data)).toEqual(['user.invited', 'user.invited']);
  const newest = all[0]?.at ?? '';
  const oldest = all.at(-1)?.at ?? '';
  const within = async (query: RequestOf<typeof listAuditLog>['query']) => (await read(owner.token, query)).data;
  expect(await within({ from: oldest })).toEqual(all);
  expect(await within({ from: newest })).toEqual(all.filter(({ at }) => at >= newest));
  expect(await within({ to: newest })).toEqual(all.filter(({ at }) => at < newest));
  expect(await within({ to: oldest })).toEqual([]);
  expect(await within({ from: '0001-01-01T00:00:00Z', to: '9999-12-31T00:00:00Z' })).toEqual(all);
});

test('a walk over pages returns every entry once, while new ones are written', async () => {
  const owner = await people.signedIn();
  await accounts.adminSql`
    insert into audit_log (store_id, actor_kind, action, subject_id, request_id)
    select ${owner.store}, 'operator', 'lead.created', n::text, 'r' from generate_series(1, 25) as n`;
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await read(owner.token, { action: 'lead.created', limit: 10, cursor });
    seen.push(...page.data.map(({ subject }) => subject.id));
    await accounts.adminSql`
      insert into audit_log (store_id, actor_kind, action, subject_id, request_id)
      values (${owner.store}, 'operator', 'lead.created', 'new', 'r')`;
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(seen).toHaveLength(25);
  expect(new Set(seen).size).toBe(25);
});

test.each([
  [{ limit: 0 }],
  [{ limit: 201 }],
  [{ actor_id: 'ana' }],
  [{ action: 'Key Created' }],
  [{ from: 'yesterday' }],
  [{ cursor: 'x' }],
  [{ page: 2 }],
])('%j is rejected', async (query) => {
  const owner = await people.signedIn();
  await expect(read(owner.token, query as never)).rejects.toMatchObject({ code: 'validation_failed' });
});

test('a cursor works only with its filters', async () => {
  const owner = await people.signedIn();
  const { next_cursor } = await read(owner.token, { limit: 1 });
  const tried = read(owner.token, { limit: 1, cursor: next_cursor ?? '', action: 'user.invited' });
  await expect(tried).rejects.toMatchObject({ code: 'validation_failed' });
});

test('only an owner reads it, only that of their store, and only with a session', async () => {
  const owner = await people.signedIn();
  const other = await people.signedIn();
  for (const role of ['manager', 'seller'] as const) {
    const { token } = await people.signedIn(owner.store, undefined, role);
    await expect(read(token)).rejects.toMatchObject({ code: 'role_required' });
  }
  await expect(people.ask(listAuditLog, { query: {} })).rejects.toMatchObject({ code: 'invalid_session' });
  expect((await read(other.token, { actor_id: owner.userId })).data).toEqual([]);
  expect((await read(other.token)).data.map(({ subject }) => subject.id)).not.toContain(owner.store);
  const rows = await accounts.as('accounts', other.store, (sql) => sql`select store_id from audit_log`);
  expect(new Set(rows.map(({ store_id }) => store_id))).toEqual(new Set([other.store]));
});

test('each filter reads from the end of an index, and no entry of another store', async () => {
  const store = await people.newStore();
  const plan = async (filter: string) => {
    const rows = await accounts.as('accounts', store, async (sql) => {
      // The table is small: the plan must need neither a scan of it nor a sort.
      for (const node of ['seqscan', 'bitmapscan', 'sort']) await sql.unsafe(`set local enable_${node} = off`);
      return await sql.unsafe(
        `explain select id from audit_log where store_id = '${store}' ${filter} order by id desc limit 51`,
      );
    });
    return rows.map((row) => row['QUERY PLAN']).join('\n');
  };
  expect(await plan('')).toMatch(/Index.* Scan Backward using audit_log_pkey/);
  expect(await plan(`and actor_id = '${store}'`)).toMatch(/Scan Backward using audit_log_of_actor/);
  expect(await plan("and action = 'key.created'")).toMatch(/Scan Backward using audit_log_of_action/);
});
