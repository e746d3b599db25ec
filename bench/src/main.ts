import { join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { root } from '../../infra/local/paths.ts';
import { benchAppointments } from './appointments.ts';
import { benchCrm } from './crm/crm.ts';
import { reportCrm } from './crm/report.ts';
import { mainConcurrency, type Part } from './measure.ts';
import { writePart } from './page.ts';
import { profileAppointments } from './profile/profile-appointments.ts';
import { report } from './report.ts';

type Options = {
  quick?: boolean;
  write?: boolean;
  profile?: boolean;
  rounds?: number;
  seconds?: number;
  concurrency?: number[];
  only?: Part[];
  against?: string;
  nodeOptions?: string;
};

const page = join(root, 'docs/performance.md');
const full = { rounds: 5, seconds: 3, concurrencies: [1, 8, 32, 128], drained: 500 };
const quick = { rounds: 1, seconds: 1, concurrencies: [1, 8, 32, 128], drained: 200 };
const fullCrm = {
  sizes: { small: 10_000, large: 1_000_000 },
  ...{ rounds: 5, seconds: 3, deepPages: 1000, importedRows: 200_000, imports: 3 },
};
const quickCrm = {
  sizes: { small: 10_000, large: 100_000 },
  ...{ rounds: 1, seconds: 1, deepPages: 100, importedRows: 20_000, imports: 1 },
};
const allParts: Part[] = ['post', 'get', 'drain'];

const positive = (text: string): number => {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('must be a number above 0.');
  return value;
};
const part = (text: string): Part[] =>
  text.split(',').map((name) => {
    const known = allParts.find((each) => each === name);
    if (!known) throw new InvalidArgumentError(`must be some of ${allParts.join(', ')}.`);
    return known;
  });

const say = (text: string) => void process.stderr.write(`${text}\n`);

/** Ctrl-C ends what is underway in order. */
function interruption(): AbortSignal {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort(new Error('interrupted')));
  return interrupted.signal;
}

const program = new Command('bench').description('Measures the platform against what it could be at most.');
program
  .command('appointments')
  .description(
    'Creation, reading and the workflows of appointments, against bare servers that do only the core of it, on a\n' +
      'platform of its own. The full form takes about 14 minutes and wants a machine that does nothing else.',
  )
  .option('--quick', 'one short round, to see that everything works')
  .option('--write', 'write the findings to docs/performance.md')
  .option('--profile', 'instead of measuring: where the gateway and scheduling spend their processor time')
  .option('--rounds <n>', 'how often everything is measured', positive)
  .option('--seconds <n>', 'how long each measurement takes', positive)
  .option('--concurrency <list>', 'callers at once, separated by commas', (text) => text.split(',').map(positive))
  .option('--only <parts>', `some of ${allParts.join(', ')}`, part)
  .option('--against <folder>', 'another checkout of this repository, to be measured beside this one')
  .option('--node-options <flags>', "NODE_OPTIONS of the platform's processes, to try settings of V8")
  .addHelpText('after', '\nExamples:\n  npm run bench -- appointments --quick\n  npm run bench -- appointments --write')
  .action(run);

program
  .command('crm')
  .description(
    'Reading, listing, changing and importing leads, with 10,000 and with 1,000,000 in the database, on platforms of its own. ' +
      'The full form takes about 20 minutes and wants a machine that does nothing else.',
  )
  .option('--quick', 'one short round with 10,000 and 100,000 leads, to see that everything works')
  .option('--write', 'write the findings to docs/performance.md')
  .option('--rounds <n>', 'how often everything is measured', positive)
  .option('--seconds <n>', 'how long each measurement takes', positive)
  .addHelpText('after', '\nExamples:\n  npm run bench -- crm --quick\n  npm run bench -- crm --write')
  .action(runCrm);

async function runCrm({ quick, write, rounds, seconds }: Options): Promise<void> {
  const form = quick ? quickCrm : fullCrm;
  const plan = { ...form, rounds: rounds ?? form.rounds, seconds: seconds ?? form.seconds };
  const text = reportCrm(await benchCrm({ root, plan }, { say, signal: interruption() }));
  console.log(text);
  if (write) writePart(page, 'crm', text);
}

async function run(options: Options): Promise<void> {
  const signal = interruption();
  if (options.profile) {
    const text = await profileAppointments({ root, seconds: options.seconds ?? 5, concurrency: mainConcurrency, say });
    console.log(text);
    if (options.write) writePart(page, 'profile', text);
    return;
  }
  const form = options.quick ? quick : full;
  const plan = {
    rounds: options.rounds ?? form.rounds,
    seconds: options.seconds ?? form.seconds,
    concurrencies: options.concurrency ?? form.concurrencies,
    drained: form.drained,
    parts: options.only ?? allParts,
  };
  const against = options.against === undefined ? undefined : resolve(options.against);
  const run = { root, against, nodeOptions: options.nodeOptions, plan };
  const text = report(await benchAppointments(run, { say, signal }));
  console.log(text);
  if (options.write) writePart(page, 'load', text);
}

await program.parseAsync();
