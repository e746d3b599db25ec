import { setTimeout as pause } from 'node:timers/promises';
import type { Sql } from './client.ts';
import { codeOf } from './failures.ts';

/** The index that a migration builds with `concurrently`, and its table. */
export type ConcurrentIndex = { readonly name: string; readonly table: string };

const name = String.raw`(?:"[^"]+"|[a-z_][\w$]*)`;
const building = new RegExp(
  String.raw`^\s*create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(${name})\s+on\s+(?:only\s+)?((?:${name}\.)?${name})`,
  'i',
);
const comment = /--[^\n]*|\/\*.*?\*\//gs;

/** What the statement of a migration builds. Undefined: no index. */
export function indexBuiltBy(text: string): ConcurrentIndex | undefined {
  const [, index, table] = building.exec(text.replaceAll(comment, ' ')) ?? [];
  if (index === undefined || table === undefined) return undefined;
  return { name: index.startsWith('"') ? index.slice(1, -1) : index.toLowerCase(), table };
}

/**
 * Which of these indexes of the schema PostgreSQL does not use. A build that failed leaves its index invalid, and
 * `if not exists` then finds it. An index is invalid, too, while it is built.
 */
export async function findInvalidIndexes(sql: Sql, schema: string, names: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select index.relname as name from pg_index
    join pg_class index on index.oid = indexrelid join pg_namespace on pg_namespace.oid = index.relnamespace
    where nspname = ${schema} and index.relname = any(${[...names]}::text[]) and not indisvalid
    order by index.relname`;
  return rows.map((row) => row.name);
}

/** With as many builds of other sessions in between, a run gives up. */
const mostAttempts = 5;
const deadlockDetected = '40P01';

/**
 * Runs the statement that builds an index. An invalid index of its name is dropped first, unless another session still
 * builds it: the run waits for that session. The search path must begin with the schema. There must be no lock timeout.
 *
 * @throws Error when the statement fails, which leaves an invalid index
 */
export async function buildIndex(
  sql: Sql,
  schema: string,
  { text, index }: { readonly text: string; readonly index: ConcurrentIndex },
  log: { info(text: string): void },
): Promise<void> {
  const isInvalid = async () => (await findInvalidIndexes(sql, schema, [index.name])).length > 0;
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    await waitForBuilds(sql, index.table, () => log.info(`${schema}: waits until another session has built its index`));
    try {
      if (await isInvalid()) await sql`drop index concurrently if exists ${sql(schema)}.${sql(index.name)}`;
      await sql.unsafe(text);
    } catch (error) {
      // Another session has begun in between, and both waited for each other.
      if (codeOf(error) === deadlockDetected) continue;
      throw error;
    }
    if (!(await isInvalid())) return;
  }
  throw new Error(`${schema}: other sessions keep building the index ${index.name}; run this again when they are done`);
}

/**
 * Polls until no other session builds an index of the table. Waiting for the lock of the table instead would deadlock: the
 * build waits for the snapshots of all that wait. A role sees the sessions of others in these views, but not what they do.
 */
async function waitForBuilds(sql: Sql, table: string, onWait: () => void): Promise<void> {
  const isBuilding = async () =>
    (
      await sql`
        select from pg_stat_progress_create_index build join pg_locks on pg_locks.pid = build.pid
        where build.datname = current_database() and build.pid <> pg_backend_pid()
          and locktype = 'relation' and relation = to_regclass(${table}) and granted
        limit 1`
    ).length > 0;
  if (!(await isBuilding())) return;
  onWait();
  while (await isBuilding()) await pause(100 + Math.random() * 100);
}
