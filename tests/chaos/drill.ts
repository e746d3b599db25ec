import { parseArgs } from 'node:util';
import { runCommand } from '@mostrador/testing/command';
import { restoreDrill } from './drills/restore.ts';
import { rollingDrill } from './drills/rolling.ts';

const help = `Usage: npm run drill -- restore [--seconds N] [--seed N]
       npm run drill -- rolling [--release COMMIT | --same] [--seconds N] [--seed N]

Rehearses what an operator does, on a platform of its own with load.

  restore   takes a base backup under load, destroys the database, restores it to a moment, fences, starts everything,
            and compares with the providers' logs. Lists the lost appointments. Takes about three minutes
  rolling   replaces each process in turn, back to the last release and forward again, behind HAProxy without
            retries. No request may fail. Takes six to nine minutes

  --release COMMIT  the other version; default: that of workflows/src/replay/last-release.json
  --same            both versions are this one
  --seconds N       the load before, between and after the steps (default 10)
  --seed N          the order of the requests; a run prints its seed
  --help            show this text

Exit codes: 0 what must hold held, 1 otherwise, 2 wrong usage.`;

const drills = { restore: restoreDrill, rolling: rollingDrill } as const;

function settingsOf(argv: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      release: { type: 'string' },
      same: { type: 'boolean', default: false },
      seconds: { type: 'string', default: '10' },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const [name, ...more] = positionals;
  if (more.length > 0 || (name !== 'restore' && name !== 'rolling')) throw new Error('Name one drill.');
  if (name === 'restore' && (values.release || values.same)) throw new Error('restore has one version.');
  if (values.release && values.same) throw new Error('--release and --same exclude each other.');
  const [seconds, seed] = [Number(values.seconds), Number(values.seed ?? Date.now() % 1_000_000)];
  if (!(seconds >= 1 && seconds <= 3_600)) throw new Error('--seconds must be from 1 to 3600.');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  return { drill: drills[name], seconds, seed, release: values.release, same: values.same };
}

process.exitCode = await runCommand(process.argv.slice(2), help, settingsOf, async ({ drill, ...settings }) => {
  console.log(`Seed: ${settings.seed}`);
  const faults = await drill(settings, (text) => console.log(text));
  for (const fault of faults) console.log(`FAULT: ${fault}`);
  console.log(faults.length === 0 ? 'Everything held.' : `${faults.length} faults.`);
  return faults.length === 0 ? 0 : 1;
});
