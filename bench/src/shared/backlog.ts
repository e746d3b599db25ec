import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { cpuOfAll, type Named } from './processes.ts';

/** The appointments that the platform has not yet written to calendars, read from its database. */
export type Backlog = {
  /** The number of appointments that are not in their calendar yet. */
  waiting(): Promise<number>;
  /** Deletes outbox entries without a workflow, so that they do not slow down the next measurement. */
  discard(): Promise<void>;
  close(): Promise<void>;
};

export function openBacklog(databaseUrl: string): Backlog {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  return {
    async waiting() {
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from scheduling.calendar_syncs where state = 'pending'`;
      return row?.count ?? 0;
    },
    async discard() {
      await sql`
        with called_off as (delete from scheduling.outbox where kind = 'workflow' returning store_id, entity_id)
        update scheduling.calendar_syncs s
        set state = 'synced', next_attempt_at = null, lease_token = null, lease_until = null
        from called_off where s.store_id = called_off.store_id and s.appointment_id = called_off.entity_id`;
      await sql`delete from scheduling.outbox`;
    },
    close: () => sql.end(),
  };
}

const lookEveryMs = 250;
/** The share of one core that all processes together may use. Polls and probes of idle processes stay below it. */
const quietShare = 0.15;

/** Waits until the processes are idle. Returns false when the limit passes first. */
export async function untilQuiet(processes: Named, limitMs: number): Promise<boolean> {
  const until = Date.now() + limitMs;
  let before = sumOf(processes);
  while (Date.now() < until) {
    await pause(lookEveryMs);
    const now = sumOf(processes);
    if (now - before < (quietShare * lookEveryMs) / 1000) return true;
    before = now;
  }
  return false;
}

const sumOf = (processes: Named): number => Object.values(cpuOfAll(processes)).reduce((sum, each) => sum + each, 0);
