import { defaultDatabase } from '@mostrador/platform/servers';
import { UsageError } from '../exit.ts';

const postgresForm = /^(postgres(?:ql)?:\/\/)([^@/?#]+)(?:\/([^/?#]*))?(\?[^#]*)?$/;
const natsServer = /^(?:nats|tls):\/\/[^@/?#\s]+$/;

/**
 * Addresses of PostgreSQL for each login.
 *
 * @param address `postgres://host1:5432,host2:5432/database?sslmode=verify-full`, without a user
 * @throws UsageError for another form
 */
export function postgresAddresses(address: string): (role: string, password: string) => string {
  const [, scheme, hosts, database, parameters = ''] = postgresForm.exec(address) ?? [];
  if (!hosts) {
    throw new UsageError([
      '--postgres must be an address without a user, such as postgres://db.internal:5432/mostrador?sslmode=verify-full',
    ]);
  }
  return (role, password) =>
    `${scheme}${role}:${encodeURIComponent(password)}@${hosts}/${database || defaultDatabase}${parameters}`;
}

/**
 * The same for the users of NATS.
 *
 * @param address `tls://host1:4222,tls://host2:4222`, without a user
 */
export function natsAddresses(address: string): (user: string, password: string) => string {
  const servers = address.split(',').map((server) => server.trim());
  if (!servers.every((server) => natsServer.test(server))) {
    throw new UsageError(['--nats must be an address without a user, such as tls://nats.internal:4222']);
  }
  return (user, password) => servers.map((server) => server.replace('://', `://${user}:${password}@`)).join(',');
}

const loginForm = /^(?:postgres(?:ql)?|nats|tls):\/\/([^:@/?#]+):([^@/?#]+)@/;

/** The user and the password in an address of PostgreSQL or NATS; of several servers, the first one's. */
export function loginIn(address: string): { user: string; password: string } | undefined {
  const [, user, password] = loginForm.exec(address) ?? [];
  if (!user || !password) return undefined;
  return { user: decodeURIComponent(user), password: decodeURIComponent(password) };
}

/** The database in an address of PostgreSQL. */
export const databaseIn = (address: string): string =>
  decodeURIComponent(/^[^/]+\/\/[^/?#]+\/([^/?#]+)/.exec(address)?.[1] ?? '') || defaultDatabase;

/** The same address of PostgreSQL with another database. */
export const withDatabase = (address: string, database: string): string =>
  address.replace(/^([^/]+\/\/[^/?#]+)(?:\/[^/?#]*)?/, `$1/${encodeURIComponent(database)}`);

/** The same address of PostgreSQL with another login. */
export const withLogin = (address: string, role: string, password: string): string =>
  address.replace(/^([^/]+\/\/)(?:[^@/?#]*@)?/, `$1${role}:${encodeURIComponent(password)}@`);
