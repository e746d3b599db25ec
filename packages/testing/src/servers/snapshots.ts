import postgres from 'postgres';
import type { TestDatabase } from './database.ts';

/** Reads of several statements that see one snapshot, with the role of the service's requests. */
export type Snapshots = {
  read<T>(storeId: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

export function openSnapshots({ url }: Pick<TestDatabase, 'url'>): Snapshots {
  const connection = postgres(url, { max: 2, onnotice: () => {} });
  return {
    read: async <T>(storeId: string, work: (sql: postgres.Sql) => Promise<T>) =>
      (await connection.begin('isolation level repeatable read read only', async (sql) => {
        await sql`select set_config('mostrador.store_id', ${storeId}, true)`;
        return await work(sql as unknown as postgres.Sql);
      })) as T,
    close: () => connection.end({ timeout: 1 }),
  };
}
