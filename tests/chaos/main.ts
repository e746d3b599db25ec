import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '@mostrador/local-platform/paths';
import { runCommand } from '@mostrador/testing/command';
import { tryExactBreaks } from './exact/try-breaks.ts';
import { pageOf } from './storm/page.ts';
import { reportOf } from './storm/report.ts';
import { holds, run, type Settings } from './storm/run.ts';
import { tryBreaks } from './storm/try-breaks.ts';

const help = `Usage: npm run chaos [-- --short] [--seed N] [--minutes N] [--readers N] [--beside DIR] [--write]
       npm run chaos -- --breaks [--only TEXT] [--seed N]
       npm run chaos -- --breaks --exact [--only TEXT]

Runs the whole platform on its own servers under continuous load and makes one fault after another. When the faults are
over, compares the clients' answers with the rows, workflows, events and calendars, and with the providers' logs.
With --breaks, runs the platform with one deliberate bug after another. An invariant must report each. With --exact, too,
runs the exact tests of the AI's answers so. The test must find each.

  --short       each kind of fault once, nothing down for long: under five minutes
  --minutes N   how long faults are made (default 60)
  --seed N      the order and the details of the faults; a run prints its seed, so that it can be repeated
  --faults N    at most this many faults
  --only TEXT   only faults or breaks whose name contains TEXT
  --readers N   clients that only read (default 16, with --short 0)
  --beside DIR  a checkout of another version: second instances of a process run its code
  --write       write docs/measurements/reliability.md
  --breaks      run the platform for some seconds with each break of storm/breaks.ts, and without any
  --exact       with --breaks: run a test of exact/ with each break of exact/breaks.ts instead
  --help        show this text

Exit codes: 0 every invariant held (--breaks: each break was reported as it must), 1 otherwise, 2 wrong usage.`;

type Chosen = Settings & { readonly write: boolean; readonly breaks: boolean; readonly exact: boolean };

function settingsOf(argv: readonly string[]): Chosen | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: 'string', default: '60' },
      seed: { type: 'string' },
      faults: { type: 'string' },
      only: { type: 'string' },
      short: { type: 'boolean', default: false },
      readers: { type: 'string' },
      beside: { type: 'string' },
      write: { type: 'boolean', default: false },
      breaks: { type: 'boolean', default: false },
      exact: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const minutes = values.short ? 3 : Number(values.minutes);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const faults = countOf(values.faults, '--faults');
  const readers = countOf(values.readers, '--readers');
  if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error('--minutes must be more than 0 and at most 1440.');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  const { short, only, beside, write, breaks, exact } = values;
  if (exact && !breaks) throw new Error('--exact needs --breaks.');
  return { minutes, seed, faults, readers, short, only, beside, write, breaks, exact };
}

function countOf(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const count = Number(text);
  if (!(Number.isSafeInteger(count) && count >= 0)) throw new Error(`${option} must be a whole number, 0 or more.`);
  return count;
}

async function main(chosen: Chosen): Promise<number> {
  const { seed, short, minutes, readers, only, breaks, exact } = chosen;
  if (exact) return (await tryExactBreaks(only, (text) => console.log(text))) ? 0 : 1;
  if (breaks) return (await tryBreaks(chosen, (text) => console.log(text))) ? 0 : 1;
  const form = short ? '--short' : `--minutes ${minutes}`;
  const command = `npm run chaos -- --seed ${seed} ${form}${readers === undefined ? '' : ` --readers ${readers}`}`;
  console.log(command);
  const outcome = await run(chosen, (text) => console.log(text));
  console.log(reportOf(seed, outcome));
  if (chosen.write) writeFileSync(join(root, 'docs/measurements/reliability.md'), pageOf(command, seed, outcome));
  return holds(outcome) ? 0 : 1;
}

process.exitCode = await runCommand(process.argv.slice(2), help, settingsOf, main);
