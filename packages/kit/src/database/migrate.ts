import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { patiently } from '../process/patiently.ts';
import { openClient, type Sql } from './client.ts';
import { buildIndex, type ConcurrentIndex, findInvalidIndexes, indexBuiltBy } from './concurrent-index.repository.ts';
import { codeOf } from './failures.ts';

export type MigrateOptions = {
  /** Connection of the role that owns the schema. */
  readonly url: string;
  readonly schema: string;
  /** Folder of `NNNN-name.sql` files. */
  readonly directory: string;
  readonly log: { info(text: string): void };
  /**
   * True: also applies files whose first line is `-- contract`, with which the previous version does not work. False,
   * the default, leaves them for when each process runs this version.
   */
  readonly contract?: boolean;
  /** How long to wait for another migration of this schema, and for locks that requests hold. Default 60,000. */
  readonly patienceMs?: number;
};

type Migration = {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
  readonly contracts: boolean;
  /** Only without a transaction. */
  readonly index: ConcurrentIndex | undefined;
};

const fileName = /^\d{4}-[a-z0-9-]+\.sql$/;
const contracting = /^-- contract\s*\n/;
const withoutTransaction = /^-- no-transaction\s*\n/;
const lockWaitMs = 2000;
const lockNotAvailable = '55P03';
/** Processes that migrate at once do not try again together. */
const untilUnlocked = {
  pauseMs: () => 200 + Math.random() * 300,
  mayPass: (error: unknown) => codeOf(error) === lockNotAvailable,
};

/**
 * Applies the migration files of a folder to a schema. Files run in the order of their names, each once, each in its
 * own transaction. A file whose first line is `-- no-transaction` holds a single statement that cannot run in a
 * transaction (such as `create index concurrently`) and is safe to run twice.
 *
 * Concurrent runs are safe: one works, the others wait for it. An attempt to lock a table lasts at most 2 s, so
 * requests never queue behind a migration for longer.
 *
 * An index that an earlier run left invalid is dropped and made again, also when its file counts as applied.
 *
 * @returns the names of the files that this run applied, and of those that wait for `contract`
 * @throws Error when the schema is older than the first file, an applied file has changed, a file's name has another
 * form, or `patienceMs` has passed
 */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[]; waiting: string[] }> {
  const { schema } = options;
  const migrations = await readMigrations(options.directory);
  const until = Date.now() + (options.patienceMs ?? 60_000);
  const client = await openClient({
    url: options.url,
    name: `${schema} migrations`,
    // An index on a large table takes long to build, so only the wait for locks has a limit.
    limits: {
      statementTimeoutMs: 0,
      lockTimeoutMs: lockWaitMs,
      idleInTransactionTimeoutMs: 60_000,
      transactionTimeoutMs: 0,
    },
  });
  try {
    await becomeTheOnlyOne(client.sql, schema, until);
    const before = await appliedBefore(client.sql, schema);
    const base = migrations[0]?.name;
    if (base !== undefined && before.size > 0 && !before.has(base)) {
      throw new Error(
        `${schema}: the schema is older than ${base}, with which the first release begins, and no migration leads there; nothing has changed. Use an empty database.`,
      );
    }
    const invalid = await findInvalidIndexes(client.sql, schema, namesOfIndexes(migrations));
    const applied: string[] = [];
    const waiting: string[] = [];
    for (const migration of migrations) {
      const checksum = before.get(migration.name);
      if (checksum === migration.checksum) {
        if (!migration.index || !invalid.includes(migration.index.name)) continue;
        await runAlone(client.sql, schema, migration, options.log);
        options.log.info(`${schema}: made the index ${migration.index.name} again, which was invalid`);
        continue;
      }
      if (checksum !== undefined) {
        throw new Error(`${schema}: ${migration.name} has changed since it was applied; write a new file instead`);
      }
      if (migration.contracts && !options.contract) {
        waiting.push(migration.name);
        continue;
      }
      await patiently({ ...untilUnlocked, until }, () => apply(client.sql, schema, migration, options.log));
      options.log.info(`${schema}: applied ${migration.name}`);
      applied.push(migration.name);
    }
    return { applied, waiting };
  } finally {
    await client.end();
  }
}

/**
 * What a schema has, and what it lacks of the migrations that a process needs: those without `-- contract`. `invalid` are
 * the indexes whose builds failed.
 */
export async function compareMigrations(
  sql: Sql,
  schema: string,
  directory: string,
): Promise<{ newest: string | undefined; missing: string[]; invalid: string[] }> {
  const rows = await sql<{ name: string }[]>`select name from ${sql(schema)}.schema_migrations order by name`;
  const applied = rows.map(({ name }) => name);
  const needed = (await readMigrations(directory)).filter(({ contracts }) => !contracts);
  const missing = needed.map(({ name }) => name).filter((name) => !applied.includes(name));
  const invalid = await findInvalidIndexes(sql, schema, namesOfIndexes(needed));
  return { newest: applied.at(-1), missing, invalid };
}

const namesOfIndexes = (migrations: readonly Migration[]): string[] =>
  migrations.flatMap(({ index }) => index?.name ?? []);

async function readMigrations(directory: string): Promise<Migration[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const odd = names.find((name) => !fileName.test(name));
  if (odd) throw new Error(`${odd} in ${directory} is not named NNNN-name.sql; rename it`);
  const twice = names.find((name, index) => name.slice(0, 4) === names[index + 1]?.slice(0, 4));
  if (twice) throw new Error(`two migrations in ${directory} have the number of ${twice}; renumber one of them`);
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(directory, name), 'utf8');
      const checksum = createHash('sha256').update(text).digest('hex');
      const index = withoutTransaction.test(text) ? indexBuiltBy(text) : undefined;
      return { name, text, checksum, contracts: contracting.test(text), index };
    }),
  );
}

/** Holds an advisory lock until the connection closes. It polls a try-lock, so that the wait blocks nothing else. */
async function becomeTheOnlyOne(sql: Sql, schema: string, until: number): Promise<void> {
  for (;;) {
    const [row] =
      await sql`select pg_try_advisory_lock(hashtextextended(${`mostrador migrations of ${schema}`}, 0)) as mine`;
    if (row?.mine) return;
    if (Date.now() >= until) throw new Error(`${schema}: another migration is still running`);
    await pause(50 + Math.random() * 50);
  }
}

async function appliedBefore(sql: Sql, schema: string): Promise<Map<string, string>> {
  await sql`create table if not exists ${sql(schema)}.schema_migrations (
    name text primary key, checksum text not null, applied_at timestamptz(3) not null default clock_timestamp())`;
  // A process compares it with the migrations of its version.
  await sql`grant select on ${sql(schema)}.schema_migrations to ${sql(`${schema}_system`)}`;
  const rows = await sql`select name, checksum from ${sql(schema)}.schema_migrations`;
  return new Map(rows.map(({ name, checksum }) => [name, checksum]));
}

async function apply(sql: Sql, schema: string, migration: Migration, log: MigrateOptions['log']): Promise<void> {
  const { name, text, checksum } = migration;
  const remember = () =>
    sql`insert into ${sql(schema)}.schema_migrations (name, checksum) values (${name}, ${checksum})`;
  if (withoutTransaction.test(text)) {
    await runAlone(sql, schema, migration, log);
    await remember();
    return;
  }
  await sql`select set_config('search_path', ${schema}, false)`;
  try {
    await sql.unsafe('begin');
    await sql.unsafe(text);
    await remember();
    await sql.unsafe('commit');
  } catch (error) {
    await sql.unsafe('rollback').catch(() => {}); // the connection itself may have failed
    throw error;
  }
}

/** The statement waits for older transactions and blocks no other statement. A timeout would leave an invalid index. */
async function runAlone(
  sql: Sql,
  schema: string,
  { text, index }: Migration,
  log: MigrateOptions['log'],
): Promise<void> {
  await sql`select set_config('search_path', ${schema}, false)`;
  await sql`set lock_timeout = 0`;
  if (index) await buildIndex(sql, schema, { text, index }, log);
  else await sql.unsafe(text);
  await sql`select set_config('lock_timeout', ${`${lockWaitMs}ms`}, false)`;
}
