import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createRandom } from '@mostrador/testing/random';
import { type Break, breaks } from './breaks.ts';
import { startChanging } from './changing.ts';
import { drain } from './drain.ts';
import { chooseFaults, type Stage } from './faults.ts';
import { startFollowers } from './followers.ts';
import { createJournal, judgedOf } from './journal.ts';
import { type Finding, judge } from './judge.ts';
import { askForTheRest, startLoad } from './load.ts';
import { look, withServers } from './look.ts';
import { onPlatform } from './on-platform.ts';
import { startOtherProgram } from './other-program.ts';
import type { Platform } from './platform.ts';
import { createStores } from './stores.ts';

export type BreakSettings = {
  readonly seed: number;
  /** Only breaks whose name contains this text. */
  readonly only?: string | undefined;
};

const phones = 5;
const clients = 14;
// The load lasts at least this long and makes at least this many requests, so that each break shows.
const usualLoadMs = 10_000;
const enoughRequests = 500;
const longestLoadMs = 40_000;
/** Early enough to fall due within the run, and late enough to be cancelled before that. */
const soonMs = 8_000;
/** A run with a break waits this long for unfinished work. The lease of a dead process expires within that time. */
const noProgressMs = 20_000;

/** A run with a break. Without one, no invariant may report anything. */
type Run = { readonly broken?: Break; readonly faults: readonly string[] };

/**
 * Runs the platform once with each break. Without `only`, also runs it without a break, under each set of faults that a
 * break needs. Resolves with true when each break was reported by its invariant, and nothing was reported without one.
 */
export async function tryBreaks({ seed, only }: BreakSettings, say: (text: string) => void): Promise<boolean> {
  const chosen = breaks.filter(({ name }) => name.includes(only ?? ''));
  if (chosen.length === 0) throw new Error(`no break name contains "${only}"`);
  const broken = chosen.map((one): Run => ({ broken: one, faults: one.faults ?? [] }));
  const runs = only === undefined ? [...withoutBreak(broken), ...broken] : broken;
  let good = 0;
  for (const one of runs) {
    const startedAt = performance.now();
    const outcome = await tryOne(one, seed).catch((error: Error) => ({ error }));
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0).padStart(3);
    const isGood = !('error' in outcome) && isAsItMust(one, outcome);
    if (isGood) good += 1;
    say(`${seconds} s  ${isGood ? 'ok    ' : 'FAILED'}  ${nameOf(one)}`);
    for (const line of 'error' in outcome ? [String(outcome.error.stack)] : told(one, outcome))
      say(`${' '.repeat(15)}${line}`);
  }
  say(`\n${good} of ${runs.length} runs are right: each break is reported by the invariant that it breaks.`);
  return good === runs.length;
}

const withoutBreak = (runs: readonly Run[]): Run[] =>
  [...new Map(runs.map(({ faults }) => [faults.join(), { faults }])).values()].toSorted(
    (one, other) => one.faults.length - other.faults.length,
  );

const nameOf = ({ broken, faults }: Run): string => broken?.name ?? ['no break', ...faults].join(', ');

type Outcome = {
  readonly findings: readonly Finding[];
  readonly acknowledged: number;
  readonly unexpected: readonly string[];
};

const isAsItMust = ({ broken }: Run, { findings, unexpected }: Outcome): boolean =>
  broken
    ? findings.some(({ invariant, faults }) => invariant === broken.breaks && faults.length > 0)
    : findings.every(({ faults }) => faults.length === 0) && unexpected.length === 0;

/** The reports of a run. The expected one comes first. */
function told({ broken }: Run, { findings, acknowledged, unexpected }: Outcome): string[] {
  const found = findings.filter(({ faults }) => faults.length > 0);
  const [expected = [], others = []] = [true, false].map((isExpected) =>
    found
      .filter(({ invariant }) => (invariant === broken?.breaks) === isExpected)
      .map(({ invariant, faults }) => `${invariant}: ${faults.length}, such as ${faults[0]}`),
  );
  return [
    ...expected.map((line) => `reported by   ${line}`),
    ...others.map((line) => `also by       ${line}`),
    ...(broken ? [] : unexpected.map((line) => `unexpected    ${line}`)),
    `in            ${acknowledged} acknowledged requests`,
  ];
}

async function tryOne(one: Run, seed: number): Promise<Outcome> {
  const { broken, faults } = one;
  const options = {
    random: createRandom(seed + 2),
    phones,
    diskMegabytes: 384,
    answers: true,
    broken: broken && 'edits' in broken ? broken.name : undefined,
  };
  const work = async (platform: Platform): Promise<Outcome> => {
    const stores = await createStores(platform, { booking: true });
    const journal = createJournal();
    const { baseUrls } = platform;
    const load = startLoad({ baseUrls, stores, journal, random: createRandom(seed + 1), clients, readers: 0, soonMs });
    const changing = startChanging({
      baseUrls,
      stores,
      journal,
      random: createRandom(seed + 5),
      customers: 2,
      restMs: 200,
    });
    const followers = startFollowers({ baseUrls, stores, journal, random: createRandom(seed + 3) });
    const calendar = platform.radicale;
    const otherProgram = startOtherProgram({ stores, journal, random: createRandom(seed + 4), calendar });
    const until = performance.now() + longestLoadMs;
    const loadMs = broken?.loadMs ?? usualLoadMs;
    await pause(loadMs / 2);
    await makeFaults(faults, { platform, random: createRandom(seed), journal, crowd: [] });
    await pause(loadMs / 2);
    while (journal.counts.requests < enoughRequests && performance.now() < until) await pause(100);
    await Promise.all([load.stop(), otherProgram.stop(), changing.stop()]);
    await askForTheRest({ baseUrls, stores, journal });
    const limits = broken ? { noProgressMs } : {};
    await withServers(platform, (open) => drain(platform, stores, open, { say: () => {}, ...limits }));
    await followers.finish();
    if (broken && 'index' in broken) await overwriteIndex(platform, broken.index);
    const seen = await withServers(platform, (open) => look(platform, stores, open));
    return {
      findings: judge({ journal: judgedOf(journal), seen }),
      unexpected: journal.unexpected,
      acknowledged: journal.counts.acknowledged,
    };
  };
  return await onPlatform(options, work, (outcome) => isAsItMust(one, outcome));
}

async function makeFaults(names: readonly string[], stage: Stage): Promise<void> {
  const known = chooseFaults(stage, true);
  for (const name of names) {
    const fault = known.find((candidate) => candidate.name === name);
    if (!fault) throw new Error(`there is no fault with the name ${name}`);
    await fault.run(stage);
    await stage.platform.untilReady();
  }
}

const pageBytes = 8_192;
/** A B-tree page ends with this many bytes of its own data. The entries lie before them. */
const specialBytes = 16;
const overwrittenBytes = 64;

/** Overwrites entries in the second page, because the first page has none. */
async function overwriteIndex(platform: Platform, index: string): Promise<void> {
  const path = await withServers(platform, async ({ sql }) => {
    const [row] = await sql<{ directory: string; file: string }[]>`
      select current_setting('data_directory') as directory, pg_relation_filepath(${index}::text::regclass) as file`;
    return join(row?.directory as string, row?.file as string);
  });
  const { postgres } = platform.servers;
  await postgres.stop();
  const file = openSync(path, 'r+');
  writeSync(
    file,
    Buffer.alloc(overwrittenBytes, 0xa5),
    0,
    overwrittenBytes,
    2 * pageBytes - specialBytes - overwrittenBytes,
  );
  closeSync(file);
  await postgres.start();
  await platform.untilReady();
}
