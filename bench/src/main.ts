import { root } from '@mostrador/local-platform/paths';
import { Command } from 'commander';
import { appointments } from './appointments/appointments.ts';
import { assistant } from './assistant/assistant.ts';
import { attacks } from './attacks/attacks.ts';
import { booking } from './booking/booking.ts';
import { consoleBench } from './console/console.ts';
import { crm } from './crm/crm.ts';
import { events } from './events/events.ts';
import { exports } from './exports/exports.ts';
import { followups } from './followups/followups.ts';
import { memory } from './memory/memory.ts';
import { messaging } from './messaging/messaging.ts';
import { mixed } from './mixed/mixed.ts';
import { phones } from './phones/phones.ts';
import { reports } from './reports/reports.ts';
import { retrieval } from './retrieval/retrieval.ts';
import { type Benchmark, type BenchmarkOptions, type BenchmarkRun, positive } from './shared/benchmark.ts';
import { publish } from './shared/page.ts';
import { textOf } from './shared/report.ts';
import { streams } from './streams/streams.ts';
import { tracing } from './tracing/tracing.ts';

const benchmarks: readonly Benchmark[] = [
  appointments,
  crm,
  messaging,
  followups,
  reports,
  mixed,
  booking,
  assistant,
  retrieval,
  events,
  consoleBench,
  streams,
  exports,
  memory,
  attacks,
  phones,
  tracing,
];

type Options = BenchmarkOptions & { readonly write?: boolean };

async function measure(chosen: readonly Benchmark[], options: Options): Promise<void> {
  const run = start();
  for (const benchmark of chosen) {
    run.signal.throwIfAborted();
    if (chosen.length > 1) run.say(`── ${benchmark.name} ──`);
    const found = await benchmark.run(options, run);
    console.log(textOf(found.report));
    if (options.write) publish(root, found);
  }
}

/** Returns a run that Ctrl-C stops in order. */
function start(): BenchmarkRun {
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort(new Error('interrupted')));
  return { say: (text) => void process.stderr.write(`${text}\n`), signal: interrupted.signal };
}

const addOptions = (command: Command): Command =>
  command
    .option('--quick', 'one short round, to check that everything works')
    .option('--write', 'write the figures to bench/figures and the page in docs/measurements')
    .option('--rounds <n>', 'number of measurements of each figure', positive)
    .option('--seconds <n>', 'duration of each measurement', positive);

const program = addOptions(new Command('bench'))
  .description(
    'Measures the platform against baselines that do only the core of its work, on separate platforms. Without a name it\n' +
      'runs all benchmarks, one after another. The full forms need an otherwise idle machine.',
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
