import { setTimeout as pause } from 'node:timers/promises';
import { root } from '@mostrador/local-platform/paths';
import { untilQuiet } from '../shared/backlog.ts';
import type { Benchmark, BenchmarkRun } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { startPlatform } from '../shared/platform.ts';
import { settingsOf } from '../shared/report.ts';
import { openAll } from '../shared/stops.ts';
import { type Customers, openCustomers } from './fill.ts';
import { type ConsoleFindings, type ConsolePlan, type List, type Load, reportConsole } from './report.ts';
import { type Loaded, openVisitor, type Scrolled } from './visit.ts';

const full: ConsolePlan = {
  rounds: 3,
  seconds: 5,
  conversations: 10_000,
  messages: 10_000,
  eventsOfAnHour: 1_200,
  eventRate: 20,
};
const quickly: ConsolePlan = {
  rounds: 1,
  seconds: 1,
  conversations: 200,
  messages: 200,
  eventsOfAnHour: 40,
  eventRate: 20,
};
const quietWithinMs = 60_000;
/** The customer with the longest thread. */
const talker = 0;

/** `npm run bench -- console`. */
export const consoleBench: Benchmark = {
  name: 'console',
  about:
    'Opens the inbox of a store with 10,000 conversations in Chromium: what it loads, when it can be used, how it scrolls,\n' +
    'and what an hour of events costs a browser that stays open. The full form takes about 6 minutes.',
  async run({ quick, rounds, seconds }, run) {
    const form = quick ? quickly : full;
    const findings = await measureConsole(
      { ...form, rounds: rounds ?? form.rounds, seconds: seconds ?? form.seconds },
      run,
    );
    return { name: 'console', report: reportConsole(findings) };
  },
};

async function measureConsole(plan: ConsolePlan, { say, signal }: BenchmarkRun): Promise<ConsoleFindings> {
  const quietness = watchMachine();
  const stage = await openStage(plan, say);
  const { platform, customers, visitor, leadId } = stage;
  try {
    await untilQuiet(platform.processes, quietWithinMs);
    const loaded: Record<Load, Loaded[]> = { cold: [], warm: [], 'cold, CPU ×4': [] };
    const scrolled: Record<List, Scrolled[]> = { conversations: [], thread: [] };
    for (let round = 0; round < plan.rounds; round += 1) {
      signal.throwIfAborted();
      loaded.cold.push(await visitor.load({ cold: true, slowdown: 1 }));
      loaded.warm.push(await visitor.load({ cold: false, slowdown: 1 }));
      loaded['cold, CPU ×4'].push(await visitor.load({ cold: true, slowdown: 4 }));
      const { seconds } = plan;
      const list = { seconds, down: true, within: 'main' };
      scrolled.conversations.push(await visitor.scroll('/inbox', list));
      const thread = { seconds, down: false, within: '[data-thread]' };
      scrolled.thread.push(await visitor.scroll(`/inbox/${leadId}`, thread));
      say(`Round ${round + 1} of ${plan.rounds}.`);
    }
    say('An hour of events, replayed faster.');
    const hour = await visitor.staysOpen(plan.eventsOfAnHour, () => happen(customers, plan));
    const machine = await describeMachine(platform);
    return { plan, settings: settingsOf(`${plan.rounds} rounds`, quietness), machine, loaded, scrolled, hour };
  } finally {
    await stage.stop();
  }
}

/** A platform with a store whose conversations are in place, and a person of it in a browser. */
const openStage = (plan: ConsolePlan, say: BenchmarkRun['say']) =>
  openAll(async (stops) => {
    say('Starting a platform.');
    const platform = await startPlatform(root);
    stops.push(platform.stop);
    const store = await platform.newStore({ channel: true });
    // First, so that a missing browser shows at once.
    const { login_url } = await platform.admin<{ login_url: string }>(
      `user invite --store ${store.id} --email bench@example.com --name Bench --role owner`,
    );
    const visitor = await openVisitor(`${platform.origin}/console`, login_url);
    stops.push(visitor.close);
    const customers = await openCustomers(platform, store);
    stops.push(customers.close);
    say(`Writing ${plan.conversations} conversations, and one of ${plan.messages} messages.`);
    await customers.writeMany(plan.conversations, (index) => index);
    await customers.writeMany(plan.messages, () => talker);
    return { platform, customers, visitor, leadId: await customers.leadOf(talker) };
  });

/** The events of an hour at their rate, each of another conversation. */
async function happen(customers: Customers, { eventsOfAnHour, eventRate, conversations }: ConsolePlan): Promise<void> {
  const since = Date.now();
  for (let index = 0; index < eventsOfAnHour; index += 1) {
    await pause(Math.max(0, since + (index * 1000) / eventRate - Date.now()));
    await customers.write((index * 7919) % conversations, `Message ${index}`);
  }
}
