import type { Target } from '../appointments/stage.ts';
import type { LoadJob, LoadResult } from '../shared/load/job.ts';
import { startLoad } from '../shared/load/start-load.ts';
import { type Platform, startPlatform } from '../shared/platform.ts';
import { openAll } from '../shared/stops.ts';
import { type Closing, measureClosing } from './closing.ts';
import { fillReports, type Sizes, sizesOf } from './fill.ts';

/** A platform with a filled database whose rollups are closed. */
export type Sized = {
  readonly sizes: Sizes;
  readonly platform: Platform;
  readonly storeId: string;
  /** Some of its leads. */
  readonly leadIds: readonly string[];
  readonly target: Target;
  readonly fillSeconds: number;
  readonly closings: readonly Closing[];
};

/** Both sizes run all the time, so that a slow moment of the machine affects both. */
export type ReportsStage = {
  readonly small: Sized;
  readonly large: Sized;
  load(job: LoadJob): Promise<LoadResult>;
  stop(): Promise<void>;
};

export async function openReportsStage(
  root: string,
  messages: { small: number; large: number },
  say: (text: string) => void,
): Promise<ReportsStage> {
  return await openAll(async (stops) => {
    const small = await openSized(root, sizesOf(messages.small), stops, say);
    const large = await openSized(root, sizesOf(messages.large), stops, say);
    return { small, large, load: await startLoad(stops) };
  });
}

async function openSized(
  root: string,
  sizes: Sizes,
  stops: (() => Promise<void>)[],
  say: (text: string) => void,
): Promise<Sized> {
  const platform = await startPlatform(root);
  stops.push(platform.stop);
  const { id, key } = await platform.newStore({ calendar: false });
  say(`Filling a database with ${sizes.messages.toLocaleString('en')} messages.`);
  const beganAt = performance.now();
  const leadIds = await fillReports(platform.databaseUrl, id, sizes);
  const fillSeconds = (performance.now() - beganAt) / 1000;
  say(`Filled in ${fillSeconds.toFixed(0)} s. Closing the rollups.`);
  return {
    sizes,
    platform,
    storeId: id,
    leadIds,
    target: { origin: platform.origin, path: '/integrations/v1/reports', headers: { 'X-API-Key': key } },
    fillSeconds,
    closings: await measureClosing(platform, say),
  };
}
