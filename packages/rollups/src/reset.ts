import type { SystemDatabase } from '@mostrador/kit/database/database';
import { nothingClosed } from './quarter.ts';

/** Waits for a running closing, then makes the next one start from the beginning. Readers are not blocked. */
export async function resetQuarters(
  systemDatabase: SystemDatabase,
  { deadline }: { readonly deadline: number },
): Promise<number> {
  return systemDatabase.write({ deadline }, async (sql) => {
    await sql`select set_config('statement_timeout', ${String(Math.max(1, deadline - Date.now()))}, true)`;
    await sql`update report_closing set closed_until = ${nothingClosed}, generation = generation + 1`;
    const { count } = await sql`delete from report_quarters`;
    return count;
  });
}
