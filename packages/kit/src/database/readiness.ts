import { type Check, NoAnswer, NotReady, untilPassed } from '../process/health.ts';
import type { AppError } from '../rpc/errors.ts';
import { openClient } from './client.ts';
import { type Database, type Sql, type SystemDatabase, serverLimits } from './database.ts';
import { codeOf } from './failures.ts';
import { compareMigrations } from './migrate.ts';
import { type Rights, readRights } from './rights.repository.ts';
import { keepSessions } from './sessions.repository.ts';

const limitMs = 5_000;

/** Each tells the operator what is wrong with the variable's database, and what to do. By SQLSTATE, and of the handshake. */
const reasons: Readonly<Record<string, (variable: string) => string>> = {
  '25006': (variable) =>
    `PostgreSQL is read-only: a standby, or \`default_transaction_read_only\` is on. Promote it, or list every host in ${variable}.`,
  '28000': (variable) => `PostgreSQL rejects the login: check the user in ${variable} and pg_hba.conf.`,
  '28P01': (variable) => `PostgreSQL rejects the login: check the user and password in ${variable}.`,
  '3D000': (variable) => `The database does not exist: check its name in ${variable}.`,
  '42501': (variable) => `PostgreSQL denies the access: check the role in ${variable} and its grants.`,
  TLS_FAILED: (variable) =>
    `The TLS handshake with PostgreSQL fails; the log says why. Check that ${variable} leads to PostgreSQL, and its TLS settings.`,
  TLS_NOT_OFFERED: (variable) =>
    `PostgreSQL offers no TLS, which ${variable} demands: set \`ssl = on\` and its certificate there.`,
  TLS_NOT_TRUSTED: () =>
    "The certificate comes from no authority that this process trusts: name the file of PostgreSQL's CA in NODE_EXTRA_CA_CERTS.",
  TLS_NOT_VALID_NOW: () =>
    'The certificate has expired, or is not valid yet: renew that of PostgreSQL, or check the clocks.',
  TLS_OTHER_HOST: (variable) =>
    `The certificate is for another host: write a host in ${variable} that the certificate of PostgreSQL has.`,
  '53300': () => 'PostgreSQL has no connection left: raise its `max_connections` or lower the pool sizes.',
};

/** PostgreSQL that answered other work this recently is not asked, except for every so often: other work may not write. */
const answeredWithinMs = 1_500;
const askedEveryMs = 5_000;

/**
 * Throws unless PostgreSQL answers within a second and takes writes. The variable holds its address. `shared`: requests use these
 * connections too, so a wait that ends without one proves nothing, and an answer to them counts as one.
 */
export function databaseCheck(
  database: Pick<SystemDatabase, 'ping' | 'stats'>,
  variable: string,
  { shared = false } = {},
): Check {
  let askedAtMs = Number.NEGATIVE_INFINITY;
  return async () => {
    const nowMs = performance.now();
    const hasAnswered = nowMs - database.stats().answeredAtMs < answeredWithinMs;
    if (shared && hasAnswered && nowMs - askedAtMs < askedEveryMs) return;
    await database.ping().catch((error: AppError) => {
      if (shared && error.code === 'service_unavailable' && error.cause === undefined) return;
      const fault = databaseFault(error.cause, variable);
      const isKnown = (codeOf(error.cause) ?? '') in reasons;
      throw new (isKnown ? NotReady : NoAnswer)(fault, { cause: error });
    });
    askedAtMs = nowMs;
  };
}

/** What is wrong with the database of a variable, and what to do, by the error of a connection to it. */
export const databaseFault = (error: unknown, variable: string): string =>
  reasons[codeOf(error) ?? '']?.(variable) ??
  `PostgreSQL does not answer: check that it runs at the address in ${variable}.`;

/** No such table, no such column, no permission: the migrate command creates and grants what the check reads. */
const notMigrated = new Set(['42P01', '42703', '42501']);

/**
 * Throws unless every migration of the folder was applied to the schema, and their indexes can be used: without a unique
 * one, statements with `on conflict` fail. Further ones do no harm: a new version migrates
 * before it starts, while the previous one still runs.
 */
export function schemaCheck(
  database: SystemDatabase,
  { schema, directory }: { schema: string; directory: string },
): Check {
  return untilPassed(async () => {
    const { newest, missing, invalid } = await database
      .read({ deadline: Date.now() + limitMs }, (sql) => compareMigrations(sql, schema, directory))
      .catch((cause) => {
        if (!notMigrated.has(codeOf(cause) ?? '')) throw cause;
        throw new NotReady(`This version has not migrated the schema ${schema}: run its migrate command.`, { cause });
      });
    if (missing.length > 0) {
      throw new NotReady(
        `The schema ${schema} is at ${newest}, this process needs ${missing.at(-1)}: run its migrate command.`,
      );
    }
    if (invalid.length > 0) {
      const names = invalid.join(', ');
      throw new NotReady(
        `The schema ${schema} has an index whose build failed or still runs (${names}): run its migrate command.`,
      );
    }
  });
}

/**
 * Throws while what this process reads in the schema of another service is missing there, or may not be read. `read` is
 * a statement with all of it.
 */
export function readsCheck(
  database: SystemDatabase,
  { schema, read }: { schema: string; read: (sql: Sql) => Promise<unknown> },
): Check {
  return untilPassed(async () => {
    await database.read({ deadline: Date.now() + limitMs }, read).catch((cause) => {
      if (!notMigrated.has(codeOf(cause) ?? '')) throw cause;
      throw new NotReady(`The schema ${schema} lacks what this process reads: run the migrate command of ${schema}.`, {
        cause,
      });
    });
  });
}

/** No store has this id. */
const noStoreId = '00000000-0000-0000-0000-000000000000';

/**
 * Throws unless each login has the rights of its own role, and no more: by them PostgreSQL decides which rows a request
 * sees. With the addresses swapped, a request would see the rows of every store. The gateway has no `database`.
 */
export function rolesCheck(
  { database, systemDatabase }: { database?: Pick<Database, 'read'>; systemDatabase: Pick<SystemDatabase, 'read'> },
  service: string,
): Check {
  const [role, systemRole] = [service, `${service}_system`];
  const assertRights = (variable: string, own: string, { own: has, other, unbound }: Rights) => {
    if (has && !other && !unbound) return;
    const fault = has ? 'has more rights than' : 'has not the rights of';
    throw new NotReady(`The user in ${variable} ${fault} the role ${own}: log in as ${own}.`);
  };
  return untilPassed(async () => {
    const deadline = Date.now() + limitMs;
    const [rights, systemRights] = await Promise.all([
      database?.read({ storeId: noStoreId, deadline }, (sql) => readRights(sql, { own: role, other: systemRole })),
      systemDatabase.read({ deadline }, (sql) => readRights(sql, { own: systemRole, other: role })),
    ]).catch((cause) => {
      // Not ready before the rights are known: the wrong ones would show rows of other stores.
      throw new NotReady('PostgreSQL does not answer, so the rights of its roles are not known yet.', { cause });
    });
    if (rights) assertRights('DATABASE_URL', role, rights);
    assertRights('DATABASE_SYSTEM_URL', systemRole, systemRights);
  });
}

/**
 * Throws unless a connection keeps its session of PostgreSQL. Through a pooler that gives each transaction or statement
 * another session, a request would use the settings of another one, and could see the rows of its store. Each address
 * stands under the name of its variable.
 */
export function sessionsCheck(addresses: Readonly<Record<string, string>>, name: string): Check {
  const assertKept = async (variable: string, url: string) => {
    const opening = [1, 2].map(() => openClient({ url, name: `${name} readiness`, limits: serverLimits }));
    const opened = await Promise.allSettled(opening);
    const clients = opened.flatMap((each) => (each.status === 'fulfilled' ? each.value : []));
    try {
      const [first, second] = clients;
      if (!first || !second) await Promise.all(opening);
      else if (!(await keepSessions([first.sql, second.sql]))) {
        throw new NotReady(
          `${variable} leads to a pooler that shares sessions of PostgreSQL: set its pool mode to session, or connect directly.`,
        );
      }
    } finally {
      await Promise.all(clients.map((client) => client.end()));
    }
  };
  return untilPassed(async () => {
    const each = Object.entries(addresses).map(([variable, url]) => assertKept(variable, url));
    await Promise.all(each).catch((cause) => {
      if (cause instanceof NotReady) throw cause;
      // Not ready before it is known, for the same reason.
      throw new NotReady(
        'PostgreSQL does not answer, so it is not known yet whether connections keep their sessions.',
        {
          cause,
        },
      );
    });
  });
}
