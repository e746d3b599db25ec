import { setTimeout as pause } from 'node:timers/promises';
import { allFaults, type Fault } from './faults.ts';
import { checkEverything, drain, type Findings } from './invariants.ts';
import { createJournal, type Journal } from './journal.ts';
import { askForTheRest, startLoad } from './load.ts';
import { createStores, type Platform, startPlatform } from './platform.ts';
import { createRandom, type Random } from './random.ts';

export type Settings = { readonly minutes: number; readonly seed: number; readonly quick: boolean };
export type Outcome = {
  readonly faults: readonly string[];
  readonly journal: Journal;
  readonly findings: Findings;
  readonly drainedSeconds: number;
};

/** An answer may come this much later than its deadline: two processes hand it on, on a machine that is busy. */
export const latenessMs = 1_000;
const recoverWithinMs = 60_000;
/** A feed shows so many coming appointments at most, so there must be stores enough. */
const createdPerMinute = 1_000;
const shownByFeed = 1_500;

/** Starts the platform, lets clients at it while one fault follows another, heals it, and compares. */
export async function runAppointments(
  { minutes, seed, quick }: Settings,
  say: (text: string) => void,
): Promise<Outcome> {
  const random = createRandom(seed);
  const platform = await startPlatform();
  const stop = () => void platform.stop().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, stop);
  try {
    const stores = await createStores(platform, 1 + Math.ceil((minutes * createdPerMinute) / shownByFeed));
    const journal = createJournal();
    // The clients have chance of their own: how many of their requests come between two faults is not the seed's affair.
    const load = startLoad({ baseUrl: platform.baseUrl, stores, journal, random: createRandom(seed + 1) });
    say(`The platform is up, its data and logs are in ${platform.folder}. Clients are at work.`);
    await pause(3_000);
    const faults = await makeTrouble(platform, { minutes, quick, random, journal, say });
    await load.stop();
    say('The faults are over. Waiting for what is left to be done.');
    await askForTheRest(platform.baseUrl, journal);
    const drainedSeconds = await drain(platform);
    const findings = await checkEverything(platform, stores, journal);
    await platform.stop();
    if (holds({ faults, journal, findings, drainedSeconds })) platform.remove();
    return { faults, journal, findings, drainedSeconds };
  } catch (error) {
    await platform.stop();
    throw error;
  }
}

/** Whether nothing was lost or doubled, and everything that must hold does. */
export const holds = ({ journal, findings }: Outcome): boolean =>
  findings.lost.length + findings.doubled.length + findings.broken.length + journal.unexpected.length === 0 &&
  journal.latestMs <= latenessMs;

/** One round of all faults in a random order (quick), or as many rounds as the time is long. */
async function makeTrouble(
  platform: Platform,
  options: { minutes: number; quick: boolean; random: Random; journal: Journal; say(text: string): void },
): Promise<string[]> {
  const { minutes, quick, random, journal, say } = options;
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
  const done: string[] = [];
  const isTime = () => quick || performance.now() - startedAt < minutes * 60_000;
  do {
    for (const fault of random.shuffled(allFaults({ short: quick }))) {
      if (!isTime()) break;
      const [before, note] = [journal.counts.requests, await fault.run(platform, random)];
      const recovered = await recovery(platform, fault, journal);
      done.push(fault.name);
      const requests = journal.counts.requests - before;
      say(`${seconds()} s  ${fault.name}${note ? ` (${note})` : ''}: ${requests} requests, ${recovered}`);
      await pause(quick ? 1_000 + random.below(1_000) : 2_000 + random.below(6_000));
    }
  } while (!quick && isTime());
  return done;
}

/** Nobody helps: the supervisor starts what died, and everything finds its servers again. */
async function recovery(platform: Platform, fault: Fault, journal: Journal): Promise<string> {
  const since = performance.now();
  try {
    await platform.untilReady(recoverWithinMs);
    return `ready again after ${((performance.now() - since) / 1000).toFixed(1)} s`;
  } catch {
    journal.unexpected.push(`after "${fault.name}" the platform was not ready within ${recoverWithinMs / 1000} s`);
    return 'NOT READY';
  }
}
