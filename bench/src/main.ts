import { join } from 'node:path';
import { Command } from 'commander';
import { root } from '../../infra/local/paths.ts';
import { appointments } from './appointments/appointments.ts';
import { crm } from './crm/crm.ts';
import { followups } from './followups/followups.ts';
import { messaging } from './messaging/messaging.ts';
import { mixed } from './mixed/mixed.ts';
import { reports } from './reports/reports.ts';
import { type Benchmark, type BenchmarkOptions, type BenchmarkRun, positive } from './shared/benchmark.ts';
import { publish } from './shared/page.ts';

const benchmarks: readonly Benchmark[] = [appointments, crm, messaging, followups, reports, mixed];

type Options = BenchmarkOptions & { readonly write?: boolean };

async function measure(chosen: readonly Benchmark[], options: Options): Promise<void> {
  const run = start();
  for (const benchmark of chosen) {
    run.signal.throwIfAborted();
    if (chosen.length > 1) run.say(`── ${benchmark.name} ──`);
    const found = await benchmark.run(options, run);
    console.log(found.text);
    if (options.write) publish(join(root, 'docs'), found);
  }
}

/** Ctrl-C ends what is underway in order. */
function start(): BenchmarkRun {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort(new Error('interrupted')));
  return { say: (text) => void process.stderr.write(`${text}\n`), signal: interrupted.signal };
}

const addOptions = (command: Command): Command =>
  command
    .option('--quick', 'one short round, to see that everything works')
    .option('--write', 'write the findings to docs/performance.md, and the raw numbers beside it')
    .option('--rounds <n>', 'how often everything is measured', positive)
    .option('--seconds <n>', 'how long each measurement takes', positive);

const program = addOptions(new Command('bench'))
  .description(
    'Measures the platform against what it could be at most, on platforms of its own: one benchmark, or without a name\n' +
      'all of them, one after another. The full forms want a machine that does nothing else.',
  )
  .enablePositionalOptions()
  .addHelpText('after', '\nExamples:\n  npm run bench -- --quick\n  npm run bench -- --write')
  .action((options: Options) => measure(benchmarks, options));

for (const benchmark of benchmarks) {
  const { name, about } = benchmark;
  const command = addOptions(program.command(name))
    .description(about)
    .addHelpText('after', `\nExamples:\n  npm run bench -- ${name} --quick\n  npm run bench -- ${name} --write`)
    .action((options: Options) => measure([benchmark], options));
  benchmark.addOptions?.(command);
}

await program.parseAsync();
