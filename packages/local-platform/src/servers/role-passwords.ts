import { databaseUsers, rolesOf } from '@mostrador/platform/servers';
import postgres from 'postgres';

/** The address of the same database for another role. */
export function roleUrl(databaseUrl: string, role: string, password: string): string {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = encodeURIComponent(password);
  return url.href;
}

/** Throws unless every role of the services has this password. Roles keep their passwords when they are created again. */
export async function assertRolePasswords(databaseUrl: string, password: string): Promise<void> {
  const roles = databaseUsers.flatMap(rolesOf);
  const accepted = await Promise.all(roles.map((role) => acceptsLogin(roleUrl(databaseUrl, role, password))));
  const others = roles.filter((_, index) => !accepted[index]);
  if (others.length === 0) return;
  throw new Error(
    `PostgreSQL has other passwords for ${others.join(', ')} than this clone's secrets.json. Roles that exist keep their passwords: put the secrets.json back with which they were created, or give all roles this clone's password once with MOSTRADOR_ROLE_PASSWORDS=reset npm start.`,
  );
}

async function acceptsLogin(url: string): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: 15, onnotice: () => {} });
  try {
    await sql`select 1`;
    return true;
  } catch (error) {
    if (isWrongPassword(error)) return false;
    throw error;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

export const isWrongPassword = (error: unknown): boolean => (error as { code?: string }).code === '28P01';
