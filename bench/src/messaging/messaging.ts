import type { Command } from 'commander';
import { root } from '../../../infra/local/paths.ts';
import { type Benchmark, type BenchmarkOptions, positive, someOf } from '../shared/benchmark.ts';
import { describeMachine, loadAverage } from '../shared/machine.ts';
import { serverNiceness, servers, startPlatform } from '../shared/platform.ts';
import { type InboundFindings, inboundRound } from './inbound.ts';
import { measureWaiting, type OutboundFindings, outboundRound, waitingCallers } from './outbound.ts';
import type { MessagingPart, MessagingPlan } from './plan.ts';
import { type MessagingFindings, reportMessaging } from './report.ts';
import { type MessagingStage, openMessagingStage } from './stage.ts';

type Options = BenchmarkOptions & { readonly leads?: number; readonly only?: MessagingPart[] };

const full = {
  ...{ stores: 20, leads: 1_000, messagesEach: 20 },
  ...{ rounds: 5, seconds: 3, customers: 500 },
};
const quickly = {
  ...{ stores: 4, leads: 100, messagesEach: 10 },
  ...{ rounds: 1, seconds: 1, customers: 100 },
};
const allParts: MessagingPart[] = ['outbound', 'inbound'];

/** `npm run bench -- messaging`. */
export const messaging: Benchmark<Options> = {
  name: 'messaging',
  about:
    'Sending 20 messages to each of 1,000 leads over 20 sandbox channels, against bare workflows that are signalled as\n' +
    'often; and receiving signed webhooks, against a bare server that checks and stores them. The full form takes about 35\n' +
    'minutes and wants a machine that does nothing else.',
  addOptions: (command: Command) =>
    command
      .option('--leads <n>', 'how many leads are written to', positive)
      .option('--only <parts>', `some of ${allParts.join(', ')}`, someOf(allParts)),
  async run({ quick, rounds, seconds, leads, only }, run) {
    const form = quick ? quickly : full;
    const plan = {
      ...form,
      rounds: rounds ?? form.rounds,
      seconds: seconds ?? form.seconds,
      leads: leads ?? form.leads,
      parts: only ?? allParts,
    };
    const findings = await measureMessaging({ root, plan }, run);
    return { part: 'messaging', text: reportMessaging(findings), raw: findings };
  },
};

/** One platform, measured in rounds that alternate with what it is compared with. */
async function measureMessaging(
  { root, plan }: { root: string; plan: MessagingPlan },
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<MessagingFindings> {
  const loadBefore = loadAverage();
  say(
    'Starting a platform once, for its caches: a process that strips types or bundles workflows holds memory for it.',
  );
  await (await startPlatform(root)).stop();
  say(`Starting a platform with ${plan.stores} stores, and what it is compared with.`);
  const stage = await openMessagingStage(root, plan.stores);
  try {
    const machine = await describeMachine(stage.platform);
    say('Warming up.');
    const unmeasured = {
      ...plan,
      leads: Math.min(50, plan.leads),
      messagesEach: 4,
      seconds: Math.min(1, plan.seconds),
    };
    await measure(stage, unmeasured, 0, emptyFindings(), () => {});
    const { outbound, inbound } = emptyFindings();
    for (let round = 0; round < plan.rounds; round++) {
      signal.throwIfAborted();
      say(`Round ${round + 1} of ${plan.rounds}.`);
      await measure(stage, plan, round, { outbound, inbound }, say);
    }
    return {
      plan,
      settings: [
        `${new Date().toISOString().slice(0, 10)}, ${plan.rounds} rounds, compared variants in turn; median (least–greatest). Load average of the machine before: ${loadBefore}.`,
        `${servers.join(', ')} run at niceness ${serverNiceness}, everything else at 0, for every variant alike.`,
      ],
      machine,
      outbound,
      inbound,
    };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}

type Both = { outbound: OutboundFindings; inbound: InboundFindings };

const emptyFindings = (): Both => ({
  outbound: { sent: [], bare: [], waited: new Map() },
  inbound: { platform: new Map(), bare: new Map() },
});

async function measure(
  stage: MessagingStage,
  plan: MessagingPlan,
  round: number,
  { outbound, inbound }: Both,
  say: (text: string) => void,
): Promise<void> {
  if (plan.parts.includes('inbound')) await inboundRound(stage, plan, round, inbound, say);
  if (!plan.parts.includes('outbound')) return;
  for (const concurrency of waitingCallers) {
    const waited = await measureWaiting(stage, { concurrency, seconds: plan.seconds });
    outbound.waited.set(concurrency, [...(outbound.waited.get(concurrency) ?? []), waited]);
    say(`send and wait × ${concurrency}: ${waited.perSecond.toFixed(0)}/s, p50 ${waited.p50Ms.toFixed(1)} ms`);
  }
  await outboundRound(stage, plan, round, outbound, say);
}
