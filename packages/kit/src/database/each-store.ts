import type { Database, TransactionSql } from './database.ts';

/**
 * Runs the work for each store in one transaction of the runtime role, whose row-level security shows one store at a time.
 * A dry run does the same work, returns the same results, and rolls back.
 */
export async function writeForEachStore<T>(
  database: Database,
  { stores, deadline, dryRun }: { stores: readonly string[]; deadline: number; dryRun: boolean },
  work: (sql: TransactionSql, storeId: string) => Promise<T>,
): Promise<T[]> {
  const [first] = stores;
  if (first === undefined) return [];
  const undo = new Error('a dry run rolls back');
  let results: T[] = [];
  try {
    return await database.write({ storeId: first, deadline }, async (sql) => {
      results = [];
      for (const storeId of stores) {
        await sql`select set_config('mostrador.store_id', ${storeId}, true)`;
        results.push(await work(sql, storeId));
      }
      if (dryRun) throw undo;
      return results;
    });
  } catch (error) {
    if (error === undo) return results;
    throw error;
  }
}
