import { join } from 'node:path';
import { type Peer, startPeer } from '@mostrador/local-platform/peer';
import postgres from 'postgres';
import type { Target } from '../appointments/stage.ts';
import type { LoadJob, LoadResult } from '../shared/load/job.ts';
import { startLoad } from '../shared/load/start-load.ts';
import { type Platform, startPlatform } from '../shared/platform.ts';
import { openAll } from '../shared/stops.ts';

/** A platform with one store, its leads and its sandbox channel, and the bare workflows on the same Temporal. */
export type FollowupStage = {
  readonly platform: Platform;
  /** `POST` to it schedules a follow-up. */
  readonly target: Target;
  readonly leadIds: readonly string[];
  /** A connection with an administrator's rights. */
  readonly sql: postgres.Sql;
  readonly temporalClient: Peer;
  readonly temporalWorker: Peer;
  load(job: LoadJob): Promise<LoadResult>;
  /** The number of answered steps of follow-up workflows. */
  stepsDone(): Promise<number>;
  /** Stops the processes of the bare workflows, so that they do not slow down later measurements. */
  stopBare(): Promise<void>;
  stop(): Promise<void>;
};

const limitMs = 600_000;

export async function openFollowupStage(root: string, leads: number): Promise<FollowupStage> {
  return await openAll(async (stops) => {
    const platform = await startPlatform(root);
    stops.push(platform.stop);
    const sql = postgres(platform.databaseUrl, { max: 1, onnotice: () => {} });
    stops.push(() => sql.end());
    const { id, key } = await platform.newStore({ channel: true });
    const headers = { 'X-API-Key': key };
    const start = async (name: string) => {
      const environment = { TEMPORAL_ADDRESS: platform.temporalAddress };
      const peer = await startPeer(join(import.meta.dirname, `../shared/${name}.ts`), environment);
      stops.push(peer.stop);
      return peer;
    };
    const temporalWorker = await start('baselines/temporal-worker');
    const temporalClient = await start('baselines/temporal-http');
    const load = await startLoad(stops);
    const bodies = Array.from({ length: leads }, (_, index) =>
      JSON.stringify({ name: 'Maria da Silva', customer_phone: String(5_511_900_000_000 + index) }),
    );
    await load(creating({ origin: platform.origin, path: '/integrations/v1/leads', headers }, bodies));
    const rows = await sql<{ id: string }[]>`select id from crm.leads where store_id = ${id}`;
    return {
      platform,
      target: { origin: platform.origin, path: '/integrations/v1/followups/scheduled', headers },
      leadIds: rows.map((row) => row.id),
      sql,
      temporalClient,
      temporalWorker,
      load,
      stepsDone: () => readSteps(platform.metricsUrl('scheduling')),
      async stopBare() {
        await Promise.all([temporalClient.stop(), temporalWorker.stop()]);
      },
    };
  });
}

/** A job that sends each body once with 32 callers. */
export const creating = ({ origin, path, headers }: Target, bodies: readonly string[]): LoadJob => ({
  origin,
  method: 'POST',
  paths: [path],
  headers,
  bodies,
  expectedStatus: 201,
  concurrency: 32,
  warmUpMs: 0,
  durationMs: limitMs,
  requests: bodies.length,
});

const stepsLine =
  /^mostrador_rpc_duration_seconds_count\{(?=[^}]*subject="scheduling\.step\.followups\.advance")(?=[^}]*outcome="ok")[^}]*\} (\d+)$/m;

async function readSteps(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(stepsLine.exec(text)?.[1] ?? 0);
}
