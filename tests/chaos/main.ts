import { parseArgs } from 'node:util';
import { reportOf } from './appointments/report.ts';
import { holds, runAppointments } from './appointments/run.ts';

const help = `Usage: npm run chaos -- appointments [--minutes N] [--seed N] [--quick]

Runs the whole platform under continuous load on servers of its own, makes one fault after another, heals everything, and
compares what clients were told with what is there: rows, calendars, events, workflows.

  --minutes N  how long faults are made, 12 unless said
  --seed N     the order and the details of the faults; printed, so that a run can be made again
  --quick      one round of the most important faults, nothing down for long: under three minutes
  --help       this text

Exit codes: 0 nothing was lost or doubled and everything held, 1 something was, 2 wrong usage.`;

function settings(argv: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      minutes: { type: 'string', default: '12' },
      seed: { type: 'string' },
      quick: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  if (positionals.length !== 1 || positionals[0] !== 'appointments') {
    throw new Error('Say what is to be tried: appointments.');
  }
  const minutes = values.quick ? 2 : Number(values.minutes);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error('--minutes is a number of minutes, at most a day.');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed is a whole number.');
  return { minutes, seed, quick: values.quick };
}

async function main(argv: readonly string[]): Promise<number> {
  let chosen: ReturnType<typeof settings>;
  try {
    chosen = settings(argv);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    return 2;
  }
  if (!chosen) {
    console.log(help);
    return 0;
  }
  console.log(`chaos appointments --seed ${chosen.seed}${chosen.quick ? ' --quick' : ` --minutes ${chosen.minutes}`}`);
  const outcome = await runAppointments(chosen, (text) => console.log(text));
  console.log(reportOf(chosen.seed, outcome));
  return holds(outcome) ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
