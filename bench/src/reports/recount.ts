import { reportServices } from '@mostrador/contracts';
import type { Platform } from '../shared/platform.ts';
import { connectAdmin } from './fill.ts';

const days = 366;

/**
 * Measures the seconds to count the same days of the same store from the rows, with one query per service and without
 * the platform around it. The queries run as an administrator, so row-level security does not slow them down.
 */
export async function measureRecount(platform: Platform, storeId: string): Promise<number> {
  const sql = connectAdmin(platform.databaseUrl);
  try {
    const beganAt = performance.now();
    for (const service of reportServices) {
      await sql`
        select date_trunc('day', at, 'America/Sao_Paulo') as day, subject, metric, sum(amount)
        from ${sql(service)}.report_facts
        where store_id = ${storeId} and at >= now() - make_interval(days => ${days}) and at < now()
        group by 1, 2, 3`;
    }
    return (performance.now() - beganAt) / 1000;
  } finally {
    await sql.end();
  }
}
