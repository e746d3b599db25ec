import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import type { Target } from '../appointments/stage.ts';

const builtWithinMs = 60_000;

/** Asks for a list, which makes crm build its totals, and waits until they are built. */
export async function untilBuilt(databaseUrl: string, storeId: string, target: Target): Promise<void> {
  await readPage(target, target.path);
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  try {
    const until = Date.now() + builtWithinMs;
    for (;;) {
      const rows = await sql`select from crm.list_totals_built where store_id = ${storeId} and list = 'leads'`;
      const left = await sql`select from crm.list_total_changes limit 1`;
      if (rows.length > 0 && left.length === 0) return;
      if (Date.now() > until) throw new Error('crm did not build the totals of the leads');
      await pause(100);
    }
  } finally {
    await sql.end();
  }
}

/** Reads a page to its end. */
export async function readPage({ origin, headers }: Target, path: string): Promise<void> {
  const response = await fetch(`${origin}${path}`, { headers });
  if (!response.ok) throw new Error(`${path} answered ${response.status}`);
  await response.arrayBuffer();
}
