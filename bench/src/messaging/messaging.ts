import { resolve } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import type { Command } from 'commander';
import { type Benchmark, type BenchmarkOptions, type BenchmarkRun, positive, someOf } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { startPlatform } from '../shared/platform.ts';
import { type Report, settingsOf } from '../shared/report.ts';
import { openAll } from '../shared/stops.ts';
import { measureRows, type Variant } from './measure.ts';
import type { MessagingPlan } from './plan.ts';
import { platform, sectionsOf } from './report.ts';
import { type Row, rows } from './rows.ts';
import { type MessagingStage, openMessagingStage } from './stage.ts';

type Options = BenchmarkOptions & {
  readonly leads?: number;
  readonly only?: string[];
  readonly floors?: boolean;
  readonly against?: string;
};

const full: MessagingPlan = {
  ...{ rounds: 3, leads: 500, seconds: 10, longSeconds: 30, restSeconds: 120, webhooks: 3000, stored: 1000 },
  backlog: { stores: 10_000, messages: 100 },
};
const quickly: MessagingPlan = {
  ...{ rounds: 1, leads: 100, seconds: 3, longSeconds: 10, restSeconds: 10, webhooks: 1000, stored: 200 },
  backlog: { stores: 200, messages: 50 },
};
const names = rows.map(({ name }) => name);

/** `npm run bench -- messaging`. */
export const messaging: Benchmark<Options> = {
  name: 'messaging',
  about:
    'Messages sent over a stand-in of WhatsApp and webhooks received from it, 500 leads in turn, each row beside a bare\n' +
    'server that does only the core of the same work. Also what an idle platform uses, and what messages leave on the\n' +
    `disk. The full form takes about 25 minutes and needs an otherwise idle machine.\nRows: ${names.join(', ')}.`,
  addOptions: (command: Command) =>
    command
      .option('--leads <n>', 'number of leads that get messages', positive)
      .option('--only <rows>', 'some of the rows', someOf(names))
      .option('--no-floors', 'without the bare servers')
      .option(
        '--against <folder>',
        'another checkout of this repository: measures both, in turn, without bare servers',
      ),
  async run({ quick, rounds, seconds, leads, only = names, floors = true, against }, run) {
    const form = quick ? quickly : full;
    const plan: MessagingPlan = {
      ...form,
      ...(rounds !== undefined && { rounds }),
      ...(seconds !== undefined && { seconds, longSeconds: seconds }),
      ...(leads !== undefined && { leads }),
    };
    const chosen = rows.filter(({ name }) => only.includes(name));
    return against === undefined
      ? { name: 'messaging', report: await measureOne(chosen, plan, floors, run) }
      : { name: 'messaging-against', report: await measureBoth(resolve(against), chosen, plan, run) };
  },
};

async function measureOne(
  chosen: readonly Row[],
  plan: MessagingPlan,
  withFloors: boolean,
  run: BenchmarkRun,
): Promise<Report> {
  const quietness = watchMachine();
  if (chosen.some(({ name }) => name === 'idle')) {
    run.say('Starting a platform once, because stripping types and bundling workflows would add to its memory.');
    await (await startPlatform(root)).stop();
  }
  run.say('Starting the platform.');
  const stage = await openMessagingStage(root, plan.leads);
  try {
    const machine = await describeMachine(stage.platform);
    const variantsOf = ({ measure, floors }: Row): Variant[] => [
      { name: platform, stage, measure },
      ...(withFloors ? Object.entries(floors).map(([name, measure]) => ({ name, stage, measure })) : []),
    ];
    const findings = await measureRows(chosen, plan, variantsOf, run);
    const turns = `${plan.rounds} rounds; the variants of a row take turns`;
    return { settings: settingsOf(turns, quietness), machine, sections: sectionsOf(findings) };
  } finally {
    run.say('Stopping.');
    await stage.stop();
  }
}

/** `--against <folder>`: the rows on that checkout and on this one, in turn. */
async function measureBoth(
  before: string,
  chosen: readonly Row[],
  plan: MessagingPlan,
  run: BenchmarkRun,
): Promise<Report> {
  const quietness = watchMachine();
  run.say('Starting both platforms.');
  const both = await openAll(async (stops) => {
    const open = async (checkout: string): Promise<MessagingStage> => {
      const stage = await openMessagingStage(checkout, plan.leads);
      stops.push(stage.stop);
      return stage;
    };
    return { old: await open(before), own: await open(root) };
  });
  try {
    const machine = await describeMachine(both.own.platform);
    const variantsOf = ({ measure }: Row): Variant[] => [
      { name: 'before', stage: both.old, measure },
      { name: 'after', stage: both.own, measure },
    ];
    const findings = await measureRows(chosen, plan, variantsOf, run);
    const turns = `${plan.rounds} rounds; both versions run all the time and take turns`;
    return { settings: settingsOf(turns, quietness), machine, sections: sectionsOf(findings) };
  } finally {
    run.say('Stopping.');
    await both.stop();
  }
}
