import { root } from '@mostrador/local-platform/paths';
import { untilQuiet } from '../shared/backlog.ts';
import { type Benchmark, type BenchmarkOptions, type BenchmarkRun, someOf } from '../shared/benchmark.ts';
import { describeMachine, watchMachine } from '../shared/machine.ts';
import { settingsOf } from '../shared/report.ts';
import { rotated } from '../shared/statistics.ts';
import { attacks as attackers } from './attackers.ts';
import { measureOthers } from './others.ts';
import { type AttackName, type AttacksPlan, attackNames, type Noticed } from './plan.ts';
import { type AttacksFindings, reportAttacks } from './report.ts';
import { openAttacksStage } from './stage.ts';

type Options = BenchmarkOptions & { readonly only?: readonly AttackName[] };

const full = { seconds: 20, rounds: 5 };
const quickly = { seconds: 4, rounds: 1 };
const quietWithinMs = 60_000;

/** `npm run bench -- attacks`. */
export const attacks: Benchmark<Options> = {
  name: 'attacks',
  about:
    'What other stores notice of an attack: the p99 of their reads, changes, webhooks and console, quiet and attacked in\n' +
    'turn. The platform has one core, and everything else the other. The full form takes about 25 minutes.',
  addOptions: (command) =>
    command.option(
      '--only <attacks>',
      `some of these attacks, separated by commas: ${attackNames.join(', ')}`,
      someOf(attackNames),
    ),
  async run({ quick, rounds, seconds, only }, run) {
    const form = quick ? quickly : full;
    const plan = { rounds: rounds ?? form.rounds, seconds: seconds ?? form.seconds, attacks: only ?? attackNames };
    const findings = await measureAttacks(plan, run);
    return { name: 'attacks', report: reportAttacks(findings) };
  },
};

async function measureAttacks(plan: AttacksPlan, { say, signal }: BenchmarkRun): Promise<AttacksFindings> {
  const quietness = watchMachine();
  const stage = await openAttacksStage(root);
  try {
    const machine = await describeMachine(stage.platform);
    say('Warming up.');
    await measureOthers(stage, { seconds: plan.seconds, seed: 1 });
    const [quiet, attacked]: [Noticed[], Noticed[]] = [[], []];
    for (let round = 0; round < plan.rounds; round++) {
      for (const attack of rotated(plan.attacks, round)) {
        signal.throwIfAborted();
        say(`Round ${round + 1} of ${plan.rounds}: ${attack}.`);
        const measured = { seconds: plan.seconds, seed: round + 1 };
        await untilQuiet(stage.platform.processes, quietWithinMs);
        quiet.push({ attack: null, round, sent: null, ...(await measureOthers(stage, measured)) });
        const found = await attackers[attack](stage, plan.seconds, () => measureOthers(stage, measured));
        attacked.push({ attack, round, sent: found.sent, ...found.measured });
      }
    }
    return {
      plan,
      settings: [
        ...settingsOf(`${plan.rounds} rounds of ${plan.seconds} s each, quiet and attacked in turn`, quietness),
        'The platform and its servers run on one core, the load and the attack on the other (`taskset`).',
      ],
      machine,
      quiet,
      attacked,
    };
  } finally {
    await stage.stop();
  }
}
