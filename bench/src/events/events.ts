import { root } from '@mostrador/local-platform/paths';
import type { Command } from 'commander';
import { untilQuiet } from '../shared/backlog.ts';
import { type Benchmark, type BenchmarkOptions, type BenchmarkRun, positive } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import type { Store } from '../shared/platform.ts';
import { settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { type Appended, appendMany, insertMany } from './append.ts';
import { type Beside, type Delivered, deliverBeside, deliverMany, postMany } from './deliver.ts';
import { createEndpoints, createStores } from './endpoints.ts';
import { type Follow, follow, readers } from './follow.ts';
import { type EventsFindings, type EventsPlan, reportEvents } from './report.ts';
import { createLeads, openEventsStage } from './stage.ts';
import { throughKills } from './through-kills.ts';

const quietWithinMs = 30_000;
// The first thousands of requests of a process cost several times as much as the later ones, until V8 has compiled it.
const warmUpRate = 500;
const warmUpSeconds = 10;

type Options = BenchmarkOptions & { readonly rate?: number; readonly throughKills?: number; readonly seed?: number };

const full: EventsPlan = {
  rounds: 3,
  seconds: 10,
  rate: 200,
  endpoints: 1_000,
  webhooks: 5_000,
  throughKills: 30_000,
  seed: 1,
};
const quickly: EventsPlan = {
  rounds: 1,
  seconds: 2,
  rate: 50,
  endpoints: 20,
  webhooks: 500,
  throughKills: 2_000,
  seed: 1,
};

/** `npm run bench -- events`. */
export const events: Benchmark<Options> = {
  name: 'events',
  about:
    'Appends events to feeds, against bare inserts, and measures how long a change takes to readers of the feed and to\n' +
    'webhook endpoints, of which one hangs and one fails, on a separate platform. Then 30,000 events are delivered to 1,000\n' +
    'endpoints while every process and server is killed twice. The full form takes about 12 minutes and needs an otherwise idle machine.',
  addOptions: (command: Command) =>
    command
      .option('--rate <n>', 'changes per second while a reader follows the feed', positive)
      .option('--through-kills <n>', 'events that are appended while every process and server is killed', positive)
      .option('--seed <n>', 'seed of the random kills', positive),
  async run({ quick, rounds, seconds, rate, throughKills, seed }, run) {
    const form = quick ? quickly : full;
    const plan = {
      ...form,
      rounds: rounds ?? form.rounds,
      seconds: seconds ?? form.seconds,
      rate: rate ?? form.rate,
      throughKills: throughKills ?? form.throughKills,
      seed: seed ?? form.seed,
    };
    const findings = await measureEvents(plan, run);
    return { name: 'events', report: reportEvents(findings) };
  },
};

/** Measures one platform and its floor in alternating rounds. */
async function measureEvents(plan: EventsPlan, { say, signal }: BenchmarkRun): Promise<EventsFindings> {
  const quietness = watchMachine();
  say('Starting a platform.');
  const stage = await openEventsStage(root);
  try {
    const machine = await describeMachine(stage.platform);
    say(`Creating ${plan.endpoints} stores with a webhook endpoint each.`);
    const stores = await createStores(stage.platform, plan.endpoints);
    await createEndpoints(stage.platform, stores, (index) => `${stage.receiverUrl}/${['hang', 'fail'][index] ?? 'ok'}`);
    const [hanging, failing, ...well] = stores as [Store, Store, ...Store[]];
    const endpoints = { hanging, failing, well };
    say('Warming up.');
    await appendMany(stage, 1);
    await insertMany(stage, 1);
    await deliverMany(stage, endpoints, plan.webhooks);
    await createLeads(stage, {
      stores: [stage.store],
      rate: warmUpRate,
      seconds: Math.min(plan.seconds, warmUpSeconds),
    });
    const [appended, inserted, followed]: [Appended[], Appended[], Follow[]] = [[], [], []];
    const [delivered, posted, beside]: [Delivered[], Delivered[], Beside[]] = [[], [], []];
    for (let round = 0; round < plan.rounds; round++) {
      const variants = [
        async () => void appended.push(await appendMany(stage, plan.seconds)),
        async () => void inserted.push(await insertMany(stage, plan.seconds)),
        async () => void delivered.push(await deliverMany(stage, endpoints, plan.webhooks)),
        async () => void posted.push(await postMany(stage, plan.webhooks)),
        async () => void beside.push(await deliverBeside(stage, endpoints, plan)),
        ...readers.map((by) => async () => void followed.push(await follow(stage, { by, ...plan }))),
      ];
      for (const variant of rotated(variants, round)) {
        signal.throwIfAborted();
        await untilQuiet(stage.processes, quietWithinMs);
        await variant();
      }
      const p99 = followed.slice(-readers.length).map((each) => `${each.by} p99 ${each.p99Ms} ms`);
      const besideBad = beside.at(-1);
      say(`Webhooks: ${delivered.at(-1)?.perSecond.toFixed(0)}/s, beside bad endpoints p99 ${besideBad?.p99Ms} ms.`);
      say(`Round ${round + 1}: ${appended.at(-1)?.perSecond.toFixed(0)} events/s appended, ${p99.join(', ')}.`);
    }
    const { endpoints: count, throughKills: events, seed } = plan;
    const killed = await throughKills(stage, { events, endpoints: count, seed }, say);
    return {
      plan,
      settings: settingsOf(`${plan.rounds} rounds; the variants take turns`, quietness),
      machine,
      ...{ appended, inserted, followed, delivered, posted, beside, killed },
    };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}
