import type { Sql } from '@mostrador/kit/database/client';
import { compareMigrations } from '@mostrador/kit/database/migrate';
import { type ServiceName, serviceNames } from '@mostrador/platform/processes';
import { findExcessiveRights, findMissingRights } from '../../../../../infra/postgres/rights.ts';
import { NoLogin, onDatabase } from '../database-connection.ts';
import { migrationsOf } from '../migrate-schemas.ts';
import { type DatabaseSecret, databaseSecrets } from '../secret-files.ts';
import { pathOf, readSecret } from '../secrets-folder.ts';
import type { Finding } from './finding.ts';
import { readLogin } from './login.repository.ts';

const oldestMajor = 18;

/** Logs in as each role, and compares the database with what this version needs. */
export async function checkPostgres(folder: string): Promise<Finding[]> {
  const findings: Finding[] = [];
  let rights: Finding[] | undefined;
  const down = new Set<string>();
  for (const secret of databaseSecrets) {
    const found = await checkLogin(folder, secret, down, async (sql) => {
      const { user, version } = await readLogin(sql);
      rights ??= [versionFinding(version), ...(await checkRights(sql))];
      const service = serviceNames.find((name) => secret.role === `${name}_system`);
      const login = loginFinding(secret, user);
      return service ? [login, await checkSchema(sql, service)] : [login];
    });
    findings.push(...found);
  }
  return [...findings, ...(rights ?? [])];
}

const finding = (what: string, ok: boolean, detail: string): Finding => ({ server: 'postgres', what, ok, detail });

/** The hosts of an address, without its login and its database. */
const hostsOf = (url: string): string => url.replace(/^.*@/, '').replace(/[/?].*$/, '');

/** `down`: the hosts that no login reaches. They are one finding, and asked once: each further role would wait as long. */
async function checkLogin(
  folder: string,
  secret: DatabaseSecret,
  down: Set<string>,
  work: (sql: Sql) => Promise<Finding[]>,
): Promise<Finding[]> {
  const { role } = secret;
  const url = await readSecret(folder, secret);
  if (!url)
    return [finding(role, false, `${pathOf(secret)} is missing: write it with \`secrets generate --add-missing\`.`)];
  if (down.has(hostsOf(url))) return [];
  try {
    return await onDatabase({ url, name: pathOf(secret) }, work);
  } catch (error) {
    if (!(error instanceof NoLogin)) throw error;
    if (error.isOwn) return [finding(role, false, `${error.message} \`platform roles\` makes it right.`)];
    down.add(hostsOf(url));
    return [finding(`server ${hostsOf(url)}`, false, error.message)];
  }
}

const loginFinding = ({ role, ...secret }: DatabaseSecret, user: string): Finding =>
  user === role
    ? finding(role, true, 'logs in')
    : finding(role, false, `${pathOf(secret)} logs in as ${user}: write the address of ${role} there.`);

const versionFinding = (version: number): Finding => {
  const major = Math.floor(version / 10_000);
  const ok = major >= oldestMajor;
  return finding('version', ok, ok ? `PostgreSQL ${major}` : `PostgreSQL ${major}: use ${oldestMajor} or newer.`);
};

async function checkRights(sql: Sql): Promise<Finding[]> {
  const [missing, excessive] = [await findMissingRights(sql), await findExcessiveRights(sql)];
  if (missing.length + excessive.length === 0) return [finding('rights', true, 'each role has its own, and no more')];
  return [
    ...missing.map((fault) => finding('rights', false, `${fault}: run \`platform roles\`, then \`platform migrate\`.`)),
    ...excessive.map((fault) => finding('rights', false, `${fault}: revoke it.`)),
  ];
}

/** No such table, no permission: the migrations create and grant what is read here. */
const notMigrated = new Set(['42P01', '42501', '3F000']);

async function checkSchema(sql: Sql, service: ServiceName): Promise<Finding> {
  const what = `schema ${service}`;
  const remedy = `run \`platform migrate --service ${service}\`.`;
  try {
    const { newest, missing, invalid } = await compareMigrations(sql, service, migrationsOf(service));
    if (missing.length > 0) return finding(what, false, `lacks ${missing.join(', ')}: ${remedy}`);
    if (invalid.length > 0) {
      return finding(what, false, `has indexes whose build failed or still runs, ${invalid.join(', ')}: ${remedy}`);
    }
    return finding(what, true, `is at ${newest}`);
  } catch (error) {
    if (!notMigrated.has((error as { code?: string }).code ?? '')) throw error;
    return finding(what, false, `is not migrated: ${remedy}`);
  }
}
