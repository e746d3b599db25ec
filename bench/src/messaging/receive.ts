import type { LoadJob, Prepared } from '../shared/load/job.ts';
import type { Measured } from './plan.ts';
import { type MessagingStage, withPeer, withProcessorTime } from './stage.ts';
import { countReceived, untilStored, webhooksFrom } from './webhooks.ts';

type Webhooks = {
  readonly count: number;
  /** The webhooks a second; undefined: as fast as they are answered. */
  readonly perSecond?: number;
};

const callers = 32;
const longestMs = 30 * 60_000;

/** Posts webhooks to the store's channel, and waits until all of their messages are stored. */
export async function receive(stage: MessagingStage, webhooks: Webhooks): Promise<Measured> {
  const { waiting, sql, platform, processes } = stage;
  const phones = waiting.leads.map(({ phone }) => phone);
  const { posts, lastId } = webhooksFrom(waiting, phones, webhooks.count);
  const before = await countReceived(sql, waiting.channelId);
  const since = performance.now();
  const { answered, cpuMs, cpuMsOfAll } = await withProcessorTime(processes, async () => {
    const answered = await stage.load(jobOf(platform.origin, posts, webhooks));
    await untilStored(sql, waiting.channelId, lastId, before + posts.length);
    return { answered, count: posts.length };
  });
  const storedPerSecond = posts.length / ((performance.now() - since) / 1000);
  const stored = (await countReceived(sql, waiting.channelId)) - before;
  if (stored !== posts.length) throw new Error(`${stored} of ${posts.length} messages were stored`);
  return { figures: figuresOf(answered, storedPerSecond, cpuMsOfAll), cpuMs };
}

/** Posts the same webhooks to a bare server. */
export async function receiveBare(stage: MessagingStage, webhooks: Webhooks): Promise<Measured> {
  const { waiting, platform } = stage;
  const environment = { DATABASE_URL: platform.databaseUrl, APP_SECRET: waiting.appSecret };
  return await withPeer('webhook-bare-http', environment, async (peer) => {
    const origin = await peer.call<string>('listen');
    const phones = waiting.leads.map(({ phone }) => phone);
    const { posts } = webhooksFrom(waiting, phones, webhooks.count, '/webhook');
    const processes = { 'bare server': peer.pid, postgres: platform.processes.postgres ?? -1 };
    const { answered, cpuMs, cpuMsOfAll } = await withProcessorTime(processes, async () => ({
      answered: await stage.load(jobOf(origin, posts, webhooks)),
      count: posts.length,
    }));
    return { figures: figuresOf(answered, answered.perSecond, cpuMsOfAll), cpuMs };
  });
}

const jobOf = (origin: string, prepared: readonly Prepared[], { perSecond }: Webhooks): LoadJob => ({
  ...({ origin, method: 'POST', paths: [], headers: {}, expectedStatus: 200 } as const),
  ...{ prepared, concurrency: callers, requests: prepared.length, warmUpMs: 0, durationMs: longestMs },
  ...(perSecond !== undefined && { perSecond }),
});

const figuresOf = (
  answered: { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number },
  storedPerSecond: number,
  cpuMsOfAll: number,
) => ({
  'answered/s': answered.perSecond,
  'stored/s': storedPerSecond,
  'answer, p50, ms': answered.p50Ms,
  'answer, p99, ms': answered.p99Ms,
  'processor time, ms': cpuMsOfAll,
});
