import type { Sql } from './client.ts';

/** What the login of a connection may do. A superuser has the rights of every role. */
export type Rights = {
  readonly own: boolean;
  readonly other: boolean;
  /** Row-level security does not apply to it. */
  readonly unbound: boolean;
};

/** Whether the login has the rights of two roles. One that does not exist gives none. */
export async function readRights(sql: Sql, { own, other }: { own: string; other: string }): Promise<Rights> {
  const [rights] = await sql<[Rights]>`
    select
      exists (select from pg_roles where rolname = ${own} and pg_has_role(oid, 'usage')) as own,
      exists (select from pg_roles where rolname = ${other} and pg_has_role(oid, 'usage')) as other,
      (select rolsuper or rolbypassrls from pg_roles where rolname = current_user) as unbound`;
  return rights;
}
