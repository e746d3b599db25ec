import type { Sql } from '@mostrador/kit/database/client';

/** The user of the connection, and the version of its server: 180004 is 18.4. */
export async function readLogin(sql: Sql): Promise<{ user: string; version: number }> {
  const [login] = await sql<[{ user: string; version: number }]>`
    select current_user::text as user, current_setting('server_version_num')::int as version`;
  return login;
}
