import { createHmac } from 'node:crypto';
import { databaseUsers, rolesOf } from '@mostrador/platform/servers';
import postgres from 'postgres';

const roles = databaseUsers.flatMap(rolesOf);

/** The password of a role of this clone's platform. Each role has its own, so that none can log in as another. */
export const rolePassword = (role: string, secret: string): string =>
  createHmac('sha256', secret).update(`postgres ${role}`).digest('hex');

/** The password of each role. */
export const rolePasswords = (secret: string): Record<string, string> =>
  Object.fromEntries(roles.map((role) => [role, rolePassword(role, secret)]));

/** The address of the same database for another role. */
export function roleUrl(databaseUrl: string, role: string, password: string): string {
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = encodeURIComponent(password);
  return url.href;
}

/** The address of the same database for a role of this clone's platform. */
export const ownRoleUrl = (databaseUrl: string, role: string, secret: string): string =>
  roleUrl(databaseUrl, role, rolePassword(role, secret));

/** The roles of the services that do not have their password. Roles that exist keep theirs. */
export async function rolesWithOtherPasswords(databaseUrl: string, secret: string): Promise<string[]> {
  const accepted = await Promise.all(roles.map((role) => acceptsLogin(ownRoleUrl(databaseUrl, role, secret))));
  return roles.filter((_, index) => !accepted[index]);
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
