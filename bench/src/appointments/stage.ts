import { join } from 'node:path';
import { type Peer, startPeer } from '@mostrador/local-platform/peer';
import { type Backlog, openBacklog } from '../shared/backlog.ts';
import { createTable } from '../shared/baselines/database.ts';
import type { LoadJob, LoadResult } from '../shared/load/job.ts';
import { natsOf, type Platform, type Store, startPlatform } from '../shared/platform.ts';
import type { Named } from '../shared/processes.ts';
import { openAll } from '../shared/stops.ts';

/** An HTTP server under measurement. */
export type Target = { readonly origin: string; readonly path: string; readonly headers: Record<string, string> };

/** A platform with its stores, and the backlog of its workflows. */
export type PlatformTarget = {
  readonly platform: Platform;
  readonly backlog: Backlog;
  /** A store with a feed calendar, so that every appointment has a workflow. */
  readonly target: Target;
  /** A store without a calendar, so that an appointment has no workflow. */
  readonly withoutCalendar: Target;
};

/** Everything that one run needs. All of it runs all the time, so that every variant has the same neighbours. */
export type Stage = {
  readonly main: PlatformTarget;
  /** The platform of another checkout, to compare with. */
  readonly other?: PlatformTarget;
  readonly bare: Target;
  readonly hop: Target;
  readonly updateWithStart: Target;
  readonly temporalClient: Peer;
  readonly temporalWorker: Peer;
  readonly processes: Named;
  load(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
};

export async function openStage(options: { root: string; against?: string; nodeOptions?: string }): Promise<Stage> {
  const platformEnvironment: Record<string, string> =
    options.nodeOptions === undefined ? {} : { NODE_OPTIONS: options.nodeOptions };
  return await openAll(async (stops) => {
    const main = await openPlatform(options.root, platformEnvironment, stops);
    const other =
      options.against === undefined ? undefined : await openPlatform(options.against, platformEnvironment, stops);
    const { databaseUrl, temporalAddress } = main.platform;
    await createTable(databaseUrl);
    const environment = { DATABASE_URL: databaseUrl, ...natsOf(main.platform), TEMPORAL_ADDRESS: temporalAddress };
    const start = async (name: string) => {
      const peer = await startPeer(join(import.meta.dirname, `../shared/${name}.ts`), environment);
      stops.push(peer.stop);
      return peer;
    };
    const bare = await start('baselines/bare-http');
    const hopService = await start('baselines/hop-service');
    const hop = await start('baselines/hop-http');
    const temporalWorker = await start('baselines/temporal-worker');
    const temporalClient = await start('baselines/temporal-http');
    const load = await start('load/main');
    const targetOf = async (peer: Peer): Promise<Target> => ({
      origin: await peer.call<string>('listen'),
      path: '/appointments',
      headers: {},
    });
    return {
      main,
      other,
      bare: await targetOf(bare),
      hop: await targetOf(hop),
      updateWithStart: await targetOf(temporalClient),
      temporalClient,
      temporalWorker,
      processes: {
        ...main.platform.processes,
        bare: bare.pid,
        'hop, http': hop.pid,
        'hop, service': hopService.pid,
        'update-with-start, http': temporalClient.pid,
        'update-with-start, worker': temporalWorker.pid,
        ...prefixed(other?.platform.processes ?? {}),
      },
      load: (job) => load.call<LoadResult>('run', job),
    };
  });
}

async function openPlatform(
  root: string,
  environment: Record<string, string>,
  stops: (() => Promise<void>)[],
): Promise<PlatformTarget> {
  const platform = await startPlatform(root, environment);
  stops.push(platform.stop);
  const backlog = openBacklog(platform.databaseUrl);
  stops.push(backlog.close);
  const target = (store: Store): Target => ({
    origin: platform.origin,
    path: '/integrations/v1/appointments',
    headers: { 'X-API-Key': store.key },
  });
  return {
    platform,
    backlog,
    target: target(await platform.newStore({ calendar: true })),
    withoutCalendar: target(await platform.newStore({ calendar: false })),
  };
}

const prefixed = (processes: Named): Named =>
  Object.fromEntries(Object.entries(processes).map(([name, pid]) => [`other ${name}`, pid]));

/** The body of every creation. */
export const body = JSON.stringify({
  title: 'Eye test',
  scheduled_at: '2031-05-20T14:30:00-03:00',
  duration_minutes: 45,
  notes: 'Brings the old glasses.',
});

/** Creates some appointments and returns their paths for the reads. */
export async function makeReadable(target: Target, count: number): Promise<string[]> {
  const paths: string[] = [];
  for (let made = 0; made < count; made++) {
    const response = await fetch(`${target.origin}${target.path}`, {
      method: 'POST',
      headers: { ...target.headers, 'content-type': 'application/json' },
      body,
    });
    if (response.status !== 201) throw new Error(`${target.origin} answered ${response.status}`);
    const { id } = (await response.json()) as { id: string };
    paths.push(`${target.path}/${id}`);
  }
  return paths;
}
