import { parseArgs } from 'node:util';
import { runCommand, skippedCode } from '@mostrador/testing/command';
import { hasPrometheus } from './drills/alerts/prometheus.ts';
import { alertsDrill } from './drills/alerts.ts';
import { restoreDrill } from './drills/restore.ts';
import { rollingDrill } from './drills/rolling.ts';

const help = `Usage: npm run drill -- restore [--seconds N] [--seed N]
       npm run drill -- rolling [--release COMMIT | --same] [--seconds N] [--seed N]
       npm run drill -- alerts [--seed N]

Rehearses what an operator does, on a platform of its own.

  restore   takes a base backup under load, destroys the database, restores it to a moment, fences, starts everything,
            and compares with the providers' logs. Lists the lost appointments. Takes about three minutes
  rolling   replaces each process in turn, back to the last release and forward again, behind HAProxy without
            retries. No request may fail. Takes six to nine minutes
  alerts    causes every alert for real, beside a Prometheus of its own whose durations are a twentieth. Exactly the
            expected alerts must fire, and end with their cause. Takes about ten minutes. Needs \`prometheus\` on PATH

  --release COMMIT  the other version; default: that of workflows/src/replay/last-release.json
  --same            both versions are this one
  --seconds N       the load before, between and after the steps (default 10)
  --seed N          the order of the requests; a run prints its seed
  --help            show this text

Exit codes: 0 what must hold held, 1 otherwise, 2 wrong usage, 77 skipped, because this machine has no Prometheus.`;

const drills = { restore: restoreDrill, rolling: rollingDrill, alerts: alertsDrill } as const;
const isDrill = (name: string | undefined): name is keyof typeof drills => name !== undefined && name in drills;

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
  if (more.length > 0 || !isDrill(name)) throw new Error('Name one drill.');
  if (name !== 'rolling' && (values.release || values.same)) throw new Error(`${name} has one version.`);
  if (values.release && values.same) throw new Error('--release and --same exclude each other.');
  const [seconds, seed] = [Number(values.seconds), Number(values.seed ?? Date.now() % 1_000_000)];
  if (!(seconds >= 1 && seconds <= 3_600)) throw new Error('--seconds must be from 1 to 3600.');
  if (!Number.isSafeInteger(seed)) throw new Error('--seed must be a whole number.');
  return { name, seconds, seed, release: values.release, same: values.same };
}

process.exitCode = await runCommand(process.argv.slice(2), help, settingsOf, async ({ name, ...settings }) => {
  if (name === 'alerts' && !hasPrometheus()) {
    console.log(
      'The drill is skipped, because this machine has no `prometheus` on PATH. Debian: apt-get install prometheus.',
    );
    return skippedCode;
  }
  console.log(`Seed: ${settings.seed}`);
  const faults = await drills[name](settings, (text) => console.log(text));
  for (const fault of faults) console.log(`FAULT: ${fault}`);
  console.log(faults.length === 0 ? 'Everything held.' : `${faults.length} faults.`);
  return faults.length === 0 ? 0 : 1;
});
