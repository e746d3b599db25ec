import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import { cpuOfAll, type Named } from './processes.ts';

/** What the platform still has to carry to calendars, seen from its database. */
export type Backlog = {
  /** Appointments whose calendar does not show them yet. */
  waiting(): Promise<number>;
  /** Calls off what no workflow was started for yet, so that it does not weigh on the next measurement. */
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
/** All processes together, of one core: what idle ones need for their polls and probes stays below it. */
const quietShare = 0.15;

/** Waits until none of the processes does much any more. False when the limit passes first. */
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
