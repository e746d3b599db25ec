import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Sql } from 'postgres';
import { scramVerifier } from './scram.ts';

/** The role that takes backups. */
export const backupRole = 'mostrador_backup';

/**
 * Creates the role, or makes its rights what `backup-role.sql` says. It can be repeated: a role that exists keeps its
 * password, unless `reset` is true. Returns whether the role did not exist.
 *
 * @param adminSql a connection of a superuser
 */
export async function createBackupRole(
  adminSql: Sql,
  { password, reset = false }: { readonly password: string; readonly reset?: boolean },
): Promise<boolean> {
  const rights = await readFile(join(import.meta.dirname, 'backup-role.sql'), 'utf8');
  return adminSql.begin(async (sql) => {
    const [found] = await sql`select 1 from pg_roles where rolname = ${backupRole}`;
    await sql.unsafe(rights);
    if (!found || reset) await sql.unsafe(`alter role ${backupRole} password '${scramVerifier(password)}'`);
    return !found;
  });
}
