import { randomUUID } from 'node:crypto';
import { sessionForm } from '@mostrador/kit/tokens/token';
import type postgres from 'postgres';

/** People in one store. A gateway gives the people of a store 200 streams. */
const peopleInStore = 200;

export type Sessions = {
  readonly tokens: readonly string[];
  /** How many of the first belong to the given store. */
  readonly inStore: number;
};

/** Writes people with one open session each, the first of them in the given store, others in stores of their own. */
export async function fillSessions(sql: postgres.Sql, count: number, storeId: string): Promise<Sessions> {
  const others = Array.from({ length: Math.ceil(count / peopleInStore) - 1 }, () => randomUUID());
  const storeIds = [storeId, ...others];
  const people = Array.from({ length: count }, (_, index) => ({
    ...sessionForm.make(),
    userId: randomUUID(),
    storeId: storeIds[Math.floor(index / peopleInStore)] ?? storeId,
  }));
  const hashes = people.map(({ hash }) => Buffer.from(hash).toString('hex'));
  const column = <Key extends keyof (typeof people)[number]>(key: Key) => people.map((person) => person[key]);
  await sql`
    insert into accounts.stores (id, name, tier, timezone, locale)
    select made.id, 'bench', 'enterprise', s.timezone, s.locale
    from unnest(${others}::uuid[]) as made (id), accounts.stores s where s.id = ${storeId}`;
  await sql`
    insert into accounts.users (id, email, name)
    select id, id || '@example.com', 'Ana' from unnest(${column('userId')}::uuid[]) as made (id)`;
  await sql`
    insert into accounts.memberships (store_id, user_id, role)
    select *, 'owner' from unnest(${column('storeId')}::uuid[], ${column('userId')}::uuid[]) as made`;
  await sql`
    insert into accounts.sessions (id, store_id, user_id, token_hash, reach, opened_by, expires_at, address)
    select id, store_id, user_id, decode(hash, 'hex'), 'joined', 'password', now() + interval '14 days', '203.0.113.7'
    from unnest(${column('id')}::text[], ${column('storeId')}::uuid[], ${column('userId')}::uuid[],
      ${hashes}::text[]) as made (id, store_id, user_id, hash)`;
  await sql`analyze`;
  return { tokens: column('token'), inStore: Math.min(count, peopleInStore) };
}

/** Ends the last sessions in SQL, as an operator could, so that no notice says so. */
export async function endSessions(sql: postgres.Sql, tokens: readonly string[]): Promise<void> {
  const ids = tokens.map((token) => sessionForm.idOf(token) ?? '');
  await sql`update accounts.sessions set ended_at = clock_timestamp() where id = any(${ids})`;
}
