import { resolve } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import type { Command } from 'commander';
import { type Benchmark, type BenchmarkOptions, positive, someOf } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { startPlatform } from '../shared/platform.ts';
import { settingsOf } from '../shared/report.ts';
import { measureAgainst } from './against.ts';
import { type InboundFindings, inboundRound } from './inbound.ts';
import { measureWaiting, type OutboundFindings, outboundRound, waitingCallers } from './outbound.ts';
import type { MessagingPart, MessagingPlan } from './plan.ts';
import { type MessagingFindings, reportMessaging } from './report.ts';
import { type MessagingStage, openMessagingStage } from './stage.ts';

type Options = BenchmarkOptions & {
  readonly leads?: number;
  readonly only?: MessagingPart[];
  readonly against?: string;
};

const full = {
  ...{ stores: 20, leads: 500, messagesEach: 20 },
  ...{ rounds: 3, seconds: 3, customers: 500 },
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
    'Sends 20 messages to each of 500 leads over 20 sandbox channels, against bare workflows with as many signals.\n' +
    'Receives signed webhooks, against a bare server that checks and stores them. The full form takes about 15 minutes\n' +
    'and needs an otherwise idle machine.',
  addOptions: (command: Command) =>
    command
      .option('--leads <n>', 'number of leads that get messages', positive)
      .option(
        '--against <folder>',
        'another checkout of this repository: only compares its outbound messages with those of this one',
      )
      .option('--only <parts>', `some of ${allParts.join(', ')}`, someOf(allParts)),
  async run({ quick, rounds, seconds, leads, only, against }, run) {
    const form = quick ? quickly : full;
    const plan = {
      ...form,
      rounds: rounds ?? form.rounds,
      seconds: seconds ?? form.seconds,
      leads: leads ?? form.leads,
      parts: only ?? allParts,
    };
    if (against !== undefined)
      return { name: 'messaging-against', report: await measureAgainst(resolve(against), plan, run) };
    const findings = await measureMessaging({ root, plan }, run);
    return { name: 'messaging', report: reportMessaging(findings) };
  },
};

/** Measures one platform and its baselines in alternating rounds. */
async function measureMessaging(
  { root, plan }: { root: string; plan: MessagingPlan },
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<MessagingFindings> {
  const quietness = watchMachine();
  say('Starting a platform once to fill its caches: stripping types and bundling workflows would add to the memory.');
  await (await startPlatform(root)).stop();
  say(`Starting a platform with ${plan.stores} stores, and the baselines.`);
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
      settings: settingsOf(`${plan.rounds} rounds; compared variants take turns`, quietness),
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
