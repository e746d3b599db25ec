import { resolve } from 'node:path';
import { root } from '@mostrador/local-platform/paths';
import { type Benchmark, someOf } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { startPlatform } from '../shared/platform.ts';
import { settingsOf } from '../shared/report.ts';
import { type AgainstOptions, comparedParts, measureAgainst } from './against.ts';
import { measureBusyStore } from './busy-store.ts';
import { type Imported, measureImport } from './import.ts';
import { type CrmMeasurements, type CrmPlan, measureRound, variantsOf, warmUp } from './measure.ts';
import { type CrmFindings, reportCrm } from './report.ts';
import { openCrmStage } from './stage.ts';

const full: CrmPlan = {
  sizes: { small: 10_000, large: 1_000_000 },
  ...{ rounds: 3, seconds: 3, deepPages: 1000, importedRows: 200_000, imports: 3 },
};
const quickly: CrmPlan = {
  sizes: { small: 10_000, large: 100_000 },
  ...{ rounds: 1, seconds: 1, deepPages: 100, importedRows: 20_000, imports: 1 },
};

/** `npm run bench -- crm`. */
export const crm: Benchmark<AgainstOptions & { against?: string }> = {
  name: 'crm',
  about:
    'Reads, lists, changes and imports leads of a store with 10,000 and of one with 1,000,000 (quick: 100,000), on\n' +
    'separate platforms. The full form takes about 15 minutes and needs an otherwise idle machine.',
  addOptions: (command) =>
    command
      .option(
        '--against <folder>',
        'another checkout of this repository: only compares its calls with those of this one',
      )
      .option('--only <parts>', `with --against: some of ${comparedParts.join(', ')}`, someOf(comparedParts)),
  async run({ against, ...options }, run) {
    if (against !== undefined)
      return { name: 'crm-against', report: await measureAgainst(resolve(against), options, run) };
    const { quick, rounds, seconds } = options;
    const form = quick ? quickly : full;
    const plan = { ...form, rounds: rounds ?? form.rounds, seconds: seconds ?? form.seconds };
    const findings = await measureCrm({ root, plan }, run);
    return { name: 'crm', report: reportCrm(findings) };
  },
};

/** Measures two platforms with leads in alternating rounds, then the import. */
async function measureCrm(
  { root, plan }: { root: string; plan: CrmPlan },
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<CrmFindings> {
  const quietness = watchMachine();
  say('Starting a platform once to fill its caches: stripping types would add to the memory.');
  await (await startPlatform(root)).stop();
  say('Starting two platforms and the baselines.');
  const stage = await openCrmStage(root, plan.sizes, say);
  try {
    const machine = await describeMachine(stage.large.platform);
    const groups = await variantsOf(stage, plan);
    const measurements: CrmMeasurements = new Map();
    say('Warming up.');
    await warmUp(stage, groups);
    for (let round = 0; round < plan.rounds; round++) {
      signal.throwIfAborted();
      say(`Round ${round + 1} of ${plan.rounds}.`);
      await measureRound(stage, groups, round, measurements, say);
    }
    say('Status changes in one store, and its first page meanwhile.');
    const busy = await measureBusyStore(stage, plan.seconds * 3 * 1000);
    const imports: Imported[] = [];
    for (let run = 0; run < plan.imports; run++) {
      signal.throwIfAborted();
      say(`Import ${run + 1} of ${plan.imports}.`);
      imports.push(await measureImport(root, stage.large.platform, plan.importedRows));
    }
    return {
      plan,
      settings: settingsOf(
        `${plan.rounds} rounds of ${plan.seconds} s (lists half of it); compared variants take turns`,
        quietness,
      ),
      machine,
      measurements,
      busy,
      imports,
    };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}
