import { join } from 'node:path';
import { defaultDatabase } from '@mostrador/platform/servers';
import type { Command } from 'commander';
import { allRoles, createDatabase, createRoles } from '../../../../infra/postgres/roles.ts';
import { type Admin, printResult, verb } from '../admin.ts';
import { readDeployment } from '../config.ts';
import { Ended, exitCodes, UsageError } from '../exit.ts';
import { readSecrets, withSecrets } from '../secrets.ts';
import { table } from '../terminal.ts';
import { databaseIn, loginIn, withDatabase, withLogin } from './addresses.ts';
import { NoLogin, onDatabase } from './database-connection.ts';
import { databaseSecrets } from './secret-files.ts';
import { defaultFolder, pathOf, requiredSecret } from './secrets-folder.ts';

type Options = { folder?: string; secretsStdin?: boolean; database?: string; reset?: string[]; json?: boolean };
type Passwords = { readonly database: string; readonly of: ReadonlyMap<string, string> };
type Role = { role: string; state: 'created' | 'kept' | 'reset'; login: 'works' | 'rejected' | 'not tried' };
type Result = { database: string; created_database: boolean; roles: Role[]; faults: string[] };

/** One that is shorter can be guessed from the outside. */
const shortestPassword = 16;

export const createRolesCommand = (admin: Admin): Command =>
  withSecrets(
    verb('roles', 'Create the database, its schemas and extensions, and the roles, each with a password of its own', [
      'platform roles --folder secrets',
      'platform roles --secrets-stdin < passwords.json',
    ])
      .option('--folder <path>', `the folder of \`secrets generate\` (default: ${defaultFolder})`)
      .option('--database <name>', 'the database (default: that of the addresses in the folder)')
      .option('--reset <roles...>', 'give these roles the password, too, although they exist'),
    '{"crm_owner": "…", "crm": "…", …}, a password for each role,',
  )
    .addHelpText(
      'after',
      `
POSTGRES_URL, or the file in POSTGRES_URL_FILE, is the login of an administrator: a superuser, or a role with CREATEDB and
CREATEROLE. It names a database that exists, such as postgres.

It can be repeated, and makes everything right but passwords: a role that exists keeps its password. When the given one
does not log in, the command says so and exits with 1. PostgreSQL gets the passwords as SCRAM verifiers, so its log has
none of them.

The passwords of NATS users stand in nats.env of the folder. nats-server reads it.`,
    )
    .action(async (options: Options) => {
      const result = await makeRoles(admin, options);
      printResult(admin, options, result, people);
      if (result.faults.length > 0) throw new Ended(exitCodes.refused);
    });

async function makeRoles(admin: Admin, options: Options): Promise<Result> {
  const { POSTGRES_URL: administrator } = readDeployment(admin.environment);
  if (!administrator) throw new UsageError(['set POSTGRES_URL or POSTGRES_URL_FILE: the login of an administrator']);
  const { reset = [] } = options;
  const unknown = reset.filter((role) => !allRoles.includes(role));
  if (unknown.length > 0) throw new UsageError([`--reset: ${unknown.join(', ')} is none of ${allRoles.join(', ')}`]);
  const passwords = options.secretsStdin ? await typedPasswords(admin, options) : await passwordsIn(options);
  const database = options.database ?? passwords.database;

  const created_database = await onDatabase({ url: administrator, name: 'POSTGRES_URL' }, (sql) =>
    createDatabase(sql, database),
  );
  const url = withDatabase(administrator, database);
  const password = (role: string) => passwords.of.get(role) ?? '';
  const created = await onDatabase({ url, name: 'POSTGRES_URL' }, (sql) =>
    createRoles(sql, { database, password, resetPasswords: reset }),
  );
  const logins = await Promise.all(allRoles.map((role) => loginOf(withLogin(url, role, password(role)))));
  const roles = allRoles.map((role, index): Role => {
    const state = created.includes(role) ? 'created' : reset.includes(role) ? 'reset' : 'kept';
    return { role, state, login: logins[index] ?? 'not tried' };
  });
  return { database, created_database, roles, faults: faultsOf(roles) };
}

function faultsOf(roles: readonly Role[]): string[] {
  const rejected = roles.filter(({ login }) => login === 'rejected').map(({ role }) => role);
  const untried = roles.filter(({ login }) => login === 'not tried').map(({ role }) => role);
  return [
    ...(rejected.length > 0
      ? [
          `PostgreSQL has other passwords for ${rejected.join(', ')}, and keeps them: write those into the addresses, or give them the new ones with --reset ${rejected.join(' ')}`,
        ]
      : []),
    ...(untried.length > 0
      ? [`PostgreSQL did not let ${untried.join(', ')} log in from here: look at pg_hba.conf`]
      : []),
  ];
}

async function loginOf(url: string): Promise<Role['login']> {
  try {
    await onDatabase({ url, name: 'POSTGRES_URL' }, async () => {});
    return 'works';
  } catch (error) {
    if (error instanceof NoLogin) return error.rejected ? 'rejected' : 'not tried';
    throw error;
  }
}

/** The passwords in the addresses of the folder. */
async function passwordsIn({ folder = defaultFolder }: Options): Promise<Passwords> {
  const of = new Map<string, string>();
  let database = '';
  for (const secret of databaseSecrets) {
    const address = await requiredSecret(folder, secret);
    const login = loginIn(address);
    if (login?.user !== secret.role) {
      throw new UsageError([`${join(folder, pathOf(secret))} must be an address with the user ${secret.role}`]);
    }
    of.set(secret.role, login.password);
    database = databaseIn(address);
  }
  return { database, of: checked(of) };
}

async function typedPasswords(admin: Admin, { folder }: Options): Promise<Passwords> {
  if (folder !== undefined) throw new UsageError(['--folder and --secrets-stdin: use one of them']);
  const typed = await readSecrets(admin.terminal, '{"crm_owner":"…","crm":"…"}');
  const unknown = Object.keys(typed).filter((role) => !allRoles.includes(role));
  const missing = allRoles.filter((role) => typeof typed[role] !== 'string' || typed[role] === '');
  const faults = [
    ...(unknown.length > 0 ? [`standard input has members that are no roles: ${unknown.length}`] : []),
    ...(missing.length > 0 ? [`standard input has no password for ${missing.join(', ')}`] : []),
  ];
  if (faults.length > 0) throw new UsageError(faults);
  return { database: defaultDatabase, of: checked(new Map(Object.entries(typed as Record<string, string>))) };
}

/** Throws UsageError for passwords that PostgreSQL or an attacker would read otherwise. It shows none. */
function checked(passwords: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const roles = [...passwords.keys()];
  const poor = roles.filter((role) => !/^[\x21-\x7e]+$/.test(passwords.get(role) ?? ''));
  const short = roles.filter((role) => (passwords.get(role) ?? '').length < shortestPassword);
  const shared = roles.filter((role) =>
    roles.some((each) => each !== role && passwords.get(each) === passwords.get(role)),
  );
  const faults = [
    ...(poor.length > 0 ? [`the passwords of ${poor.join(', ')} must be printable ASCII without spaces`] : []),
    ...(short.length > 0
      ? [`the passwords of ${short.join(', ')} must have at least ${shortestPassword} characters`]
      : []),
    ...(shared.length > 0 ? [`${shared.join(', ')} share a password: each role needs its own`] : []),
  ];
  if (faults.length > 0) throw new UsageError(faults);
  return passwords;
}

const people = ({ database, created_database, roles, faults }: Result): string =>
  [
    `database ${database}: ${created_database ? 'created' : 'exists'}`,
    table(
      ['ROLE', 'STATE', 'LOGIN'],
      roles.map(({ role, state, login }) => [role, state, login]),
    ),
    ...(faults.length > 0 ? faults.map((fault) => `error: ${fault}`) : ['Next: `platform migrate`.']),
  ].join('\n');
