import postgres from 'postgres';
import { createDatabase, createRoles } from '../../../../infra/postgres/roles.ts';
import { rolePassword, rolesWithOtherPasswords } from './role-passwords.ts';

const databaseName = 'mostrador';

/**
 * Creates the platform's database and roles where they are missing. Returns an administrator's address of the database.
 *
 * @param options.serverUrl an administrator's address of the server
 * @param options.password that of our own PostgreSQL's administrator. Those of the roles derive from it.
 */
export async function prepareDatabase(options: {
  readonly serverUrl: string;
  readonly env: NodeJS.ProcessEnv;
  readonly password: string;
}): Promise<string> {
  const { env, password } = options;
  const serverUrl = new URL(options.serverUrl);
  const named = serverUrl.pathname.slice(1);
  const database = named === '' || named === 'postgres' ? databaseName : named;
  const databaseUrl = new URL(serverUrl);
  databaseUrl.pathname = `/${database}`;
  try {
    if (named !== database) await once(serverUrl.href, (sql) => createDatabase(sql, database));
    const makeRoles = (resetPasswords: boolean | readonly string[]) =>
      once(databaseUrl.href, (sql) =>
        createRoles(sql, { database, password: (role) => rolePassword(role, password), resetPasswords }),
      );
    await makeRoles(env.MOSTRADOR_ROLE_PASSWORDS === 'reset');
    const others = await rolesWithOtherPasswords(databaseUrl.href, password);
    if (others.length > 0 && env.POSTGRES_URL) throw new Error(otherPasswords(others));
    // All roles of an earlier version had the administrator's password. This server has no other users.
    if (others.length > 0) await makeRoles(others);
  } catch (error) {
    if (env.POSTGRES_URL) throw new Error(`POSTGRES_URL is set, but: ${(error as Error).message}`);
    throw error;
  }
  return databaseUrl.href;
}

const otherPasswords = (roles: readonly string[]): string =>
  `PostgreSQL has other passwords for ${roles.join(', ')} than this clone's secrets.json. Roles that exist keep their passwords: put the secrets.json back with which they were created, or give all roles this clone's passwords once with MOSTRADOR_ROLE_PASSWORDS=reset npm start.`;

async function once(url: string, work: (sql: postgres.Sql) => Promise<unknown>): Promise<void> {
  const sql = postgres(url, { max: 1, connect_timeout: 15, onnotice: () => {} });
  try {
    await work(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}
