import { root } from '@mostrador/local-platform/paths';
import { untilQuiet } from '../shared/backlog.ts';
import type { BenchmarkRun } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { processorMs, processorTime } from '../shared/processor-time.ts';
import { type Report, ratioCell, settingsOf, spread } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { openAll } from '../shared/stops.ts';
import { table } from '../shared/table.ts';
import { quietWithinMs, type Sent, sendMany } from './outbound.ts';
import type { MessagingPlan } from './plan.ts';
import { type MessagingStage, openMessagingStage } from './stage.ts';

type Side = { readonly name: 'before' | 'after'; readonly stage: MessagingStage; readonly sent: Sent[] };

/** `npm run bench -- messaging --against <folder>`: outbound messages of that checkout and of this one, in turn. */
export async function measureAgainst(
  before: string,
  plan: MessagingPlan,
  { say, signal }: BenchmarkRun,
): Promise<Report> {
  const quietness = watchMachine();
  say('Starting both platforms.');
  const both = await openAll(async (stops) => {
    const open = async (name: Side['name'], checkout: string): Promise<Side> => {
      const stage = await openMessagingStage(checkout, plan.stores);
      stops.push(stage.stop);
      return { name, stage, sent: [] };
    };
    return { old: await open('before', before), own: await open('after', root) };
  });
  const { old, own } = both;
  const sides = [old, own];
  try {
    const machine = await describeMachine(own.stage.platform);
    say('Warming up.');
    for (const { stage } of sides) await sendMany(stage, { leads: Math.min(50, plan.leads), messagesEach: 4 });
    for (let round = 0; round < plan.rounds; round++) {
      signal.throwIfAborted();
      say(`Round ${round + 1} of ${plan.rounds}.`);
      for (const { name, stage, sent } of rotated(sides, round)) {
        await untilQuiet(stage.processes, quietWithinMs);
        const result = await sendMany(stage, plan);
        sent.push(result);
        say(`${name}: ${result.deliveredPerSecond.toFixed(0)}/s delivered`);
      }
    }
    const turns = `${plan.rounds} rounds; both versions run all the time and take turns`;
    return {
      settings: settingsOf(turns, quietness),
      machine,
      sections: [
        ['After ÷ before', comparison(old.sent, own.sent)],
        [
          'Processor time for one message, in milliseconds',
          processorTime(sides.map(({ name, sent }) => ({ title: name, measured: sent }))),
        ],
      ],
    };
  } finally {
    say('Stopping.');
    await both.stop();
  }
}

function comparison(before: readonly Sent[], after: readonly Sent[]): string {
  const row = (what: string, pick: (sent: Sent) => number) => [
    what,
    spread(before.map(pick)),
    spread(after.map(pick)),
    ratioCell(after.map(pick), before.map(pick)),
  ];
  return table(
    ['what', 'before', 'after', 'after ÷ before'],
    [
      row('delivered/s', ({ deliveredPerSecond }) => deliveredPerSecond),
      row('accepted/s', ({ acceptedPerSecond }) => acceptedPerSecond),
      row('workflow runs', ({ runs }) => runs),
      row('processor time of all processes for one message, ms', processorMs),
    ],
  );
}
