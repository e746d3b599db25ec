import { type Check, NotReady } from '../process/health.ts';
import type { AppError } from '../rpc/errors.ts';
import type { SystemDatabase } from './database.ts';
import { codeOf } from './failures.ts';

/** Each tells the operator what is wrong with the variable's database, and what to do. By SQLSTATE. */
const reasons: Readonly<Record<string, (variable: string) => string>> = {
  '28000': (variable) => `PostgreSQL rejects the login: check the user in ${variable} and pg_hba.conf.`,
  '28P01': (variable) => `PostgreSQL rejects the login: check the user and password in ${variable}.`,
  '3D000': (variable) => `The database does not exist: check its name in ${variable}.`,
  '42501': (variable) => `PostgreSQL denies the access: check the role in ${variable} and its grants.`,
  '53300': () => 'PostgreSQL has no connection left: raise its `max_connections` or lower the pool sizes.',
};

/**
 * Throws unless PostgreSQL answers within a second. The variable holds its address. `shared`: requests use these
 * connections too, so a wait for one in vain proves nothing.
 */
export function databaseCheck(
  database: Pick<SystemDatabase, 'ping'>,
  variable: string,
  { shared = false } = {},
): Check {
  return () =>
    database.ping().catch((error: AppError) => {
      if (shared && error.code === 'service_unavailable' && error.cause === undefined) return;
      const reason = reasons[codeOf(error.cause) ?? '']?.(variable);
      throw new NotReady(reason ?? `PostgreSQL does not answer: check that it runs at the address in ${variable}.`, {
        cause: error,
      });
    });
}
