import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../../infra/local/paths.ts';
import { pageOf } from './storm/page.ts';
import { reportOf } from './storm/report.ts';
import { holds, run, type Settings } from './storm/run.ts';
import { tryBreaks } from './storm/try-breaks.ts';

const help = `Usage: npm run chaos [-- --short] [--seed N] [--minutes N] [--beside DIR] [--write]
       npm run chaos -- --breaks [--only TEXT] [--seed N]

Runs the whole platform under continuous load on servers of its own, makes one fault after another, heals everything, and
compares what clients were told with what is there: rows, workflows, events, calendars, what the providers took.
With --breaks the code is broken on purpose instead, in one way after another, and each must be reported.

  --short       each kind of fault once, nothing down for long: under five minutes
  --minutes N   how long faults are made, 60 unless said
  --seed N      the order and the details of the faults; printed, so that a run can be made again
  --faults N    no more than so many
  --only TEXT   those whose name has this text
  --beside DIR  a checkout of another version: where two of a process run side by side, the second is of that one
  --write       writes docs/reliability.md
  --breaks      runs the platform for some seconds with each break of storm/breaks.ts in its code, and without any
  --help        this text

Exit codes: 0 nothing was lost or doubled and everything held (--breaks: each was reported by the invariant that it
breaks), 1 not so, 2 wrong usage.`;

type Chosen = Settings & { readonly write: boolean; readonly breaks: boolean };

function settingsOf(argv: readonly string[]): Chosen | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      minutes: { type: 'string', default: '60' },
      seed: { type: 'string' },
      faults: { type: 'string' },
      only: { type: 'string' },
      short: { type: 'boolean', default: false },
      beside: { type: 'string' },
      write: { type: 'boolean', default: false },
      breaks: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const minutes = values.short ? 3 : Number(values.minutes);
  const seed = Number(values.seed ?? Date.now() % 1_000_000);
  const faults = values.faults === undefined ? undefined : Number(values.faults);
  if (!(minutes > 0 && minutes <= 24 * 60)) throw new Error('--minutes is a number of minutes, at most a day.');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed is a whole number.');
  if (faults !== undefined && !(Number.isSafeInteger(faults) && faults >= 0)) throw new Error('--faults is a number.');
  const { short, only, beside, write, breaks } = values;
  return { minutes, seed, faults, short, only, beside, write, breaks };
}

async function main(argv: readonly string[]): Promise<number> {
  let chosen: Chosen | undefined;
  try {
    chosen = settingsOf(argv);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    return 2;
  }
  if (!chosen) {
    console.log(help);
    return 0;
  }
  const { seed, short, minutes, breaks } = chosen;
  if (breaks) return (await tryBreaks(chosen, (text) => console.log(text))) ? 0 : 1;
  const command = `npm run chaos -- --seed ${seed} ${short ? '--short' : `--minutes ${minutes}`}`;
  console.log(command);
  const outcome = await run(chosen, (text) => console.log(text));
  console.log(reportOf(seed, outcome));
  if (chosen.write) writeFileSync(join(root, 'docs/reliability.md'), pageOf(command, seed, outcome));
  return holds(outcome) ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
