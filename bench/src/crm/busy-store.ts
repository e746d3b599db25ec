import { setTimeout as pause } from 'node:timers/promises';
import postgres from 'postgres';
import type { LoadResult } from '../shared/load/job.ts';
import { spreadOf } from '../shared/statistics.ts';
import { pageAfter } from './lists.ts';
import { statusChanges } from './measure.ts';
import type { CrmStage } from './stage.ts';
import { readPage } from './until-built.ts';

const sampleEveryMs = 20;
const callers = 8;
const quietPages = 100;

/** Status changes of one store, who waits for locks, and what its pages cost meanwhile. */
export type BusyStore = {
  readonly changes: LoadResult;
  /** How often the sessions of crm were looked at, and how many of them waited for a lock in all looks together. */
  readonly samples: number;
  readonly waiting: number;
  /** The median latency of a first and of a later page: meanwhile, and before. */
  readonly firstMs: number;
  readonly nextMs: number;
  readonly quietFirstMs: number;
  readonly quietNextMs: number;
};

/** Changes the status of leads of the large store, as fast as eight callers can. */
export async function measureBusyStore(stage: CrmStage, durationMs: number): Promise<BusyStore> {
  const { target, filled, platform } = stage.large;
  const { page: next } = await pageAfter(target, 1);
  const took = { first: [] as number[], next: [] as number[] };
  const readPages = async () => {
    took.first.push(await msOf(() => readPage(target, target.path)));
    took.next.push(await msOf(() => readPage(target, next)));
  };
  const medians = () => ({ first: spreadOf(took.first).median, next: spreadOf(took.next).median });
  for (let page = 0; page < quietPages; page++) await readPages();
  const quiet = medians();
  took.first.length = 0;
  took.next.length = 0;

  let running = true;
  const sampling = sampleLocks(platform.databaseUrl, () => running);
  const reading = (async () => {
    while (running) await readPages();
  })();
  const changes = await stage
    .load({
      origin: target.origin,
      method: 'PATCH',
      paths: filled.leadIds.map((id) => `${target.path}/${id}`),
      headers: target.headers,
      bodies: statusChanges,
      expectedStatus: 200,
      concurrency: callers,
      warmUpMs: 200,
      durationMs,
    })
    .finally(() => {
      running = false;
    });
  const [locks] = await Promise.all([sampling, reading]);
  const busy = medians();
  return {
    changes,
    ...locks,
    ...{ firstMs: busy.first, nextMs: busy.next, quietFirstMs: quiet.first, quietNextMs: quiet.next },
  };
}

async function sampleLocks(databaseUrl: string, running: () => boolean): Promise<{ samples: number; waiting: number }> {
  const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
  let [samples, waiting] = [0, 0];
  try {
    while (running()) {
      const [row] = await sql<[{ waiting: number }]>`
        select count(*)::int as waiting from pg_stat_activity
        where usename in ('crm', 'crm_system')
          and (wait_event_type = 'Lock' or pid in (select pid from pg_locks where not granted))`;
      samples += 1;
      waiting += row.waiting;
      await pause(sampleEveryMs);
    }
    return { samples, waiting };
  } finally {
    await sql.end();
  }
}

async function msOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}
