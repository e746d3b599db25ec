import { root } from '@mostrador/local-platform/paths';
import type { Benchmark } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { startPlatform } from '../shared/platform.ts';
import { settingsOf } from '../shared/report.ts';
import { measureRound, type ReportsMeasurements, type ReportsPlan, warmUp } from './measure.ts';
import { type ReportsFindings, reportReports } from './report.ts';
import { openReportsStage } from './stage.ts';

const full: ReportsPlan = { messages: { small: 100_000, large: 10_000_000 }, rounds: 3, seconds: 5 };
const quickly: ReportsPlan = { messages: { small: 2_000, large: 200_000 }, rounds: 1, seconds: 1 };

/** `npm run bench -- reports`. */
export const reports: Benchmark = {
  name: 'reports',
  about:
    'Reads reports of a store that has a tenth of 100,000 or of 10,000,000 messages, and closes their rollups, on separate\n' +
    'platforms. The full form takes about 30 minutes and needs an otherwise idle machine.',
  async run({ quick, rounds, seconds }, run) {
    const form = quick ? quickly : full;
    const plan = { ...form, rounds: rounds ?? form.rounds, seconds: seconds ?? form.seconds };
    const findings = await measureReports({ root, plan }, run);
    return { name: 'reports', report: reportReports(findings) };
  },
};

/** Fills two platforms, closes their rollups, and measures them in alternating rounds. */
async function measureReports(
  { root, plan }: { root: string; plan: ReportsPlan },
  { say, signal }: { say: (text: string) => void; signal: AbortSignal },
): Promise<ReportsFindings> {
  const quietness = watchMachine();
  say('Starting a platform once to fill its caches: stripping types would add to the memory.');
  await (await startPlatform(root)).stop();
  const stage = await openReportsStage(root, plan.messages, say);
  try {
    const machine = await describeMachine(stage.large.platform);
    const measurements: ReportsMeasurements = { loads: new Map(), recounts: { small: [], large: [] } };
    say('Warming up.');
    await warmUp(stage);
    for (let round = 0; round < plan.rounds; round++) {
      signal.throwIfAborted();
      say(`Round ${round + 1} of ${plan.rounds}.`);
      await measureRound(stage, plan, round, measurements, say);
    }
    return {
      settings: settingsOf(`${plan.rounds} rounds of ${plan.seconds} s; the sizes take turns`, quietness),
      machine,
      sized: { small: stage.small, large: stage.large },
      measurements,
    };
  } finally {
    say('Stopping.');
    await stage.stop();
  }
}
