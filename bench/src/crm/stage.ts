import { join } from 'node:path';
import { type Peer, startPeer } from '@mostrador/local-platform/peer';
import type { Target } from '../appointments/stage.ts';
import type { LoadJob, LoadResult } from '../shared/load/job.ts';
import { startLoad } from '../shared/load/start-load.ts';
import { natsOf, type Platform, startPlatform } from '../shared/platform.ts';
import type { Named } from '../shared/processes.ts';
import { openAll } from '../shared/stops.ts';
import { type Filled, fillLeads } from './fill.ts';
import { untilBuilt } from './until-built.ts';

/** A platform whose store has this many leads, and its baselines on the same data. */
export type Sized = {
  readonly leads: number;
  readonly platform: Platform;
  readonly filled: Filled;
  readonly target: Target;
  readonly bare: Target;
  readonly hop: Target;
  readonly processes: Named;
};

/** Both sizes run all the time, so that a slow moment of the machine affects both. */
export type CrmStage = {
  readonly small: Sized;
  readonly large: Sized;
  load(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
};

export async function openCrmStage(
  root: string,
  sizes: { small: number; large: number },
  say: (text: string) => void,
): Promise<CrmStage> {
  return await openAll(async (stops) => {
    const small = await openSized(root, sizes.small, stops, say);
    const large = await openSized(root, sizes.large, stops, say);
    return { small, large, load: await startLoad(stops) };
  });
}

async function openSized(
  root: string,
  leads: number,
  stops: (() => Promise<void>)[],
  say: (text: string) => void,
): Promise<Sized> {
  const platform = await startPlatform(root);
  stops.push(platform.stop);
  const { id, key } = await platform.newStore({ calendar: false });
  say(`Filling a store with ${leads.toLocaleString('en')} leads.`);
  const filled = await fillLeads(platform.databaseUrl, id, leads);
  const target = { origin: platform.origin, path: '/integrations/v1/leads', headers: { 'X-API-Key': key } };
  await untilBuilt(platform.databaseUrl, id, target);
  const environment = { DATABASE_URL: platform.databaseUrl, ...natsOf(platform), STORE_ID: id };
  const start = async (name: string): Promise<Peer> => {
    const peer = await startPeer(join(import.meta.dirname, `../shared/baselines/${name}.ts`), environment);
    stops.push(peer.stop);
    return peer;
  };
  const bare = await start('lead-bare-http');
  const hopService = await start('lead-hop-service');
  const hop = await start('lead-hop-http');
  const targetOf = async (peer: Peer): Promise<Target> => ({
    origin: await peer.call<string>('listen'),
    path: '/leads',
    headers: {},
  });
  return {
    leads,
    platform,
    filled,
    target,
    bare: await targetOf(bare),
    hop: await targetOf(hop),
    processes: { ...platform.processes, bare: bare.pid, 'hop, http': hop.pid, 'hop, service': hopService.pid },
  };
}
