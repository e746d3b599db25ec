import { join, resolve } from 'node:path';
import { defaultDatabase } from '@mostrador/platform/servers';
import type { Command } from 'commander';
import { backupRole, createBackupRole } from '../../../../infra/postgres/backup-role.ts';
import { type Admin, printResult, verb } from '../admin.ts';
import { readDeployment } from '../config.ts';
import { withDatabase, withLogin } from '../deployment/addresses.ts';
import { NoLogin, onDatabase } from '../deployment/database-connection.ts';
import { newPassword } from '../deployment/secret-files.ts';
import { defaultFolder, pathOf, readSecret, refuseOpenFolder, writeSecret } from '../deployment/secrets-folder.ts';
import { Ended, exitCodes, Refused, UsageError } from '../exit.ts';
import { record } from '../terminal.ts';
import { passwordIn, passwordLine } from './password-file.ts';

type Options = { folder: string; database: string; reset?: boolean; json?: boolean };
type Login = 'works' | 'rejected' | 'not let in' | 'not tried';
type Result = {
  role: string;
  state: 'created' | 'kept' | 'reset';
  password_file: string;
  login: Login;
  replication: Login;
  faults: string[];
};

/** libpq reads the file that PGPASSFILE names, and rejects one that others may read. */
const file = { holder: 'backup', variable: 'pgpass' } as const;
/** What PostgreSQL answers after the login, because this role only reads, and a replication connection takes no `select`. */
const afterLogin = new Set(['25006', '08P01']);
const answers: Readonly<Record<string, Login>> = { '28P01': 'rejected', '28000': 'not let in' };

export const createBackupRoleCommand = (admin: Admin): Command =>
  verb('role', `Create the role ${backupRole}, which reads every row and changes none`, [
    'backup role --folder secrets',
    'backup role --reset',
  ])
    .option('--folder <path>', 'the folder for its password', defaultFolder)
    .option('--database <name>', 'a database in which to try its login', defaultDatabase)
    .option('--reset', 'give the role the password of the folder, although it exists')
    .addHelpText(
      'after',
      `
POSTGRES_URL, or the file in POSTGRES_URL_FILE, is the login of a superuser: only one may give REPLICATION and BYPASSRLS.

The password is written once, to backup/pgpass in the folder. pg_basebackup, pg_receivewal and pg_dump read it there when
PGPASSFILE names it.

It can be repeated: it makes the rights right, and keeps the password. It also tries both logins from here, because
pg_hba.conf needs a line for replication of its own.`,
    )
    .action(async (options: Options) => {
      const result = await makeRole(admin, options);
      printResult(admin, options, result, people);
      if (result.faults.length > 0) throw new Ended(exitCodes.refused);
    });

async function makeRole(admin: Admin, { folder, database, reset = false }: Options): Promise<Result> {
  const { POSTGRES_URL: administrator } = readDeployment(admin.environment);
  if (!administrator) throw new UsageError(['set POSTGRES_URL or POSTGRES_URL_FILE: the login of a superuser']);
  await refuseOpenFolder(folder);
  const path = join(folder, pathOf(file));
  const written = await readSecret(folder, file);
  const password = written === undefined ? newPassword() : passwordIn(written, backupRole);
  if (!password) throw new UsageError([`${path} has no line for ${backupRole}`]);
  // Before the role has it, so that a command that is killed here leaves no role with a lost password.
  if (written === undefined) await writeSecret(folder, file, passwordLine(backupRole, password));

  const created = await onDatabase({ url: administrator, name: 'POSTGRES_URL' }, (sql) =>
    createBackupRole(sql, { password, reset }),
  ).catch((error) => {
    if ((error as { code?: string }).code !== '42501') throw error;
    throw new Refused(
      'POSTGRES_URL is no superuser, and may not give a role REPLICATION and BYPASSRLS: use another login. A managed server takes its backups itself',
    );
  });
  const url = withDatabase(withLogin(administrator, backupRole, password), database);
  const [login, replication] = await Promise.all([loginOf(url), loginOf(replicating(url))]);
  const state = created ? 'created' : reset ? 'reset' : 'kept';
  const faults = faultsOf({ login, replication, path, database });
  return { role: backupRole, state, password_file: path, login, replication, faults };
}

/** The same address for the connection with which pg_basebackup begins. */
const replicating = (url: string): string => `${url}${url.includes('?') ? '&' : '?'}replication=true`;

async function loginOf(url: string): Promise<Login> {
  try {
    await onDatabase({ url, name: 'POSTGRES_URL' }, async () => {});
    return 'works';
  } catch (error) {
    if (!(error instanceof NoLogin)) throw error;
    const { code = '' } = error.cause as { code?: string };
    return afterLogin.has(code) ? 'works' : (answers[code] ?? 'not tried');
  }
}

function faultsOf(tried: { login: Login; replication: Login; path: string; database: string }): string[] {
  const { login, replication, path, database } = tried;
  if (login === 'rejected' || replication === 'rejected') {
    return [
      `PostgreSQL has another password for ${backupRole}, and keeps it: write that one into ${path}, or give the role the new one with --reset`,
    ];
  }
  const lacking = [...(login === 'works' ? [] : [database]), ...(replication === 'works' ? [] : ['replication'])];
  return lacking.map(
    (place) =>
      `${backupRole} does not get in from here for ${place}: add \`hostssl ${place} ${backupRole} ADDRESS scram-sha-256\` to pg_hba.conf, with the address of the host that takes the backups, and reload PostgreSQL. From that host, run this command again`,
  );
}

const people = ({ role, state, password_file, login, replication, faults }: Result): string =>
  [
    record({ role: `${role} (${state})`, 'password file': password_file, login, 'login for replication': replication }),
    ...(faults.length > 0
      ? faults.map((fault) => `error: ${fault}`)
      : [`Next: export PGPASSFILE=${resolve(password_file)}`]),
  ].join('\n');
