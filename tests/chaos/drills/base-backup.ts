import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import postgres from 'postgres';
import { backupRole, createBackupRole } from '../../../infra/postgres/backup-role.ts';
import { copyRunning } from '../storm/postgres-pair.ts';

const run = promisify(execFile);
const major = 18;

/** `pg_basebackup` of this version or a newer one: a program in `PG_BIN`, else on PATH. An older one rejects the server. */
function findTool(): string | undefined {
  const program = join(process.env.PG_BIN ?? '', 'pg_basebackup');
  const version = spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '';
  return Number(/PostgreSQL\) (\d+)/.exec(version)?.[1]) >= major ? program : undefined;
}

/**
 * Takes a base backup of a running server, as docs/operations/backup.md says. Without `pg_basebackup` it makes the calls
 * that this program makes. Returns how it was taken.
 */
export async function takeBaseBackup(options: { adminUrl: string; data: string; to: string }): Promise<string> {
  const { adminUrl, data, to } = options;
  const sql = postgres(adminUrl, { max: 1, onnotice: () => {} });
  try {
    const tool = findTool();
    if (tool === undefined) {
      await copyRunning(sql, data, to, true);
      return `pg_backup_start and a copy, because there is no pg_basebackup ${major} (set PG_BIN)`;
    }
    const password = randomBytes(16).toString('hex');
    await createBackupRole(sql, { password });
    const { hostname, port } = new URL(adminUrl);
    const where = ['--host', hostname, '--port', port, '--username', backupRole, '--no-password'];
    await run(tool, [...where, '--pgdata', to, '--checkpoint=fast', '--wal-method=stream'], {
      env: { ...process.env, PGPASSWORD: password },
    });
    // Debian has pg_waldump, which reads the log, only with the server.
    await run(join(tool, '..', 'pg_verifybackup'), ['--no-parse-wal', to]);
    return 'pg_basebackup, checked with pg_verifybackup';
  } finally {
    await sql.end({ timeout: 1 });
  }
}
