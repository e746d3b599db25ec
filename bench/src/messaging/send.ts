import { setTimeout as pause } from 'node:timers/promises';
import type { LoadJob, LoadResult, Prepared } from '../shared/load/job.ts';
import { unstamped } from '../shared/load/stamp.ts';
import type { Measured, MessagingPlan } from './plan.ts';
import type { Arrived } from './provider.ts';
import { type MessagingStage, type MessagingStore, withPeer, withProcessorTime } from './stage.ts';

const warmUpMs = 500;
const lookEveryMs = 100;
const message = `Your glasses are ready. We are open until seven. ${unstamped}`;

/** Sends messages to the leads of a store in turn, and waits until the provider has all of them. */
export async function send(
  stage: MessagingStage,
  { key, leads }: MessagingStore,
  job: Pick<LoadJob, 'concurrency' | 'durationMs' | 'requests'>,
): Promise<Measured> {
  const prepared = leads.map(({ id }) => ({
    path: `/integrations/v1/leads/${id}/messages`,
    headers: { 'X-API-Key': key },
    body: JSON.stringify({ message }),
  }));
  const { origin } = stage.platform;
  const { arrived, measured } = await sendTo(stage, stage.processes, { ...job, origin, prepared });
  if (arrived.misplaced > 0) throw new Error(`${arrived.misplaced} messages arrived out of order`);
  return measured;
}

/** The same messages to a bare server. */
export async function sendBare(
  stage: MessagingStage,
  { concurrency, seconds }: { concurrency: number; seconds: number },
): Promise<Measured> {
  const environment = { DATABASE_URL: stage.platform.databaseUrl, PROVIDER_URL: stage.providerUrl };
  return await withPeer('send-bare-http', environment, async (peer) => {
    const origin = await peer.call<string>('listen');
    const prepared = stage.waiting.leads.map(({ phone }) => ({
      ...{ path: '/messages', headers: {} },
      body: JSON.stringify({ to: phone, message }),
    }));
    const processes = { 'bare server': peer.pid, postgres: stage.platform.processes.postgres ?? -1 };
    return (await sendTo(stage, processes, { origin, prepared, concurrency, durationMs: seconds * 1000 })).measured;
  });
}

type Sending = Pick<LoadJob, 'origin' | 'concurrency' | 'durationMs' | 'requests'> & {
  readonly prepared: readonly Prepared[];
};

async function sendTo(
  { provider, load }: MessagingStage,
  processes: Readonly<Record<string, number>>,
  sending: Sending,
): Promise<{ arrived: Arrived; measured: Measured }> {
  await provider.call('reset');
  const job: LoadJob = {
    ...({ method: 'POST', paths: [], headers: {}, expectedStatus: 200, stamped: true } as const),
    ...{ ...sending, warmUpMs: sending.requests === undefined ? warmUpMs : 0 },
  };
  const since = performance.now();
  const { accepted, loadedMs, count, cpuMs, cpuMsOfAll } = await withProcessorTime(processes, async () => {
    const accepted: LoadResult = await load(job);
    const loadedMs = performance.now() - since;
    await provider.call('got', accepted.sent);
    return { accepted, loadedMs, count: accepted.sent };
  });
  const arrived = await provider.call<Arrived>('arrived');
  if (arrived.count !== count || arrived.doubled > 0) {
    throw new Error(`of ${count} messages ${arrived.count} arrived, and ${arrived.doubled} arrived twice`);
  }
  const acceptedPerSecond = (count * 1000) / loadedMs;
  const deliveredPerSecond = (count * 1e6) / (arrived.lastAtUs - arrived.firstSentAtUs);
  const measured = {
    figures: {
      'accepted/s': acceptedPerSecond,
      'delivered/s': deliveredPerSecond,
      'delivered ÷ accepted': deliveredPerSecond / acceptedPerSecond,
      'to the provider, p50, ms': arrived.p50Ms,
      'to the provider, p99, ms': arrived.p99Ms,
      'answer, p50, ms': accepted.p50Ms,
      'answer, p99, ms': accepted.p99Ms,
      'processor time, ms': cpuMsOfAll,
    },
    cpuMs,
  };
  return { arrived, measured };
}

/** As many bare workflows as leads get two signals each. A signal counts when an activity after it has run. */
export async function signalBare({ platform }: MessagingStage, { leads }: MessagingPlan): Promise<Measured> {
  const environment = { TEMPORAL_ADDRESS: platform.temporalAddress };
  const times = 2;
  return await withPeer('temporal-worker', environment, (worker) =>
    withPeer('temporal-http', environment, async (client) => {
      const { temporal = -1 } = platform.processes;
      const processes = { temporal, 'bare client': client.pid, 'bare worker': worker.pid };
      const since = performance.now();
      const { count, cpuMs, cpuMsOfAll } = await withProcessorTime(processes, async () => {
        await client.call('wakeInTurns', { workflows: leads, times });
        while ((await worker.call<number>('stepsDone')) < leads * times) await pause(lookEveryMs);
        return { count: leads * times };
      });
      const perSecond = count / ((performance.now() - since) / 1000);
      return { figures: { 'delivered/s': perSecond, 'processor time, ms': cpuMsOfAll }, cpuMs };
    }),
  );
}
