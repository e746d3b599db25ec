import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readyWithinMs } from '@mostrador/local-platform/children';
import { createRandom } from '@mostrador/testing/random';
import { answers } from '../exact/answers.ts';
import { startChanging } from './changing.ts';
import type { Recorded } from './damages.ts';
import { type Drained, drain } from './drain.ts';
import { chooseFaults, type Fault, type Stage } from './faults.ts';
import { startFollowers } from './followers.ts';
import { createJournal, type Journal, judgedOf } from './journal.ts';
import { blindSpots, type Finding, judge } from './judge.ts';
import { askForTheRest, startLoad } from './load.ts';
import { look, withServers } from './look.ts';
import { onPlatform } from './on-platform.ts';
import { startOtherProgram } from './other-program.ts';
import type { Platform } from './platform.ts';
import { createCrowd, createStores } from './stores.ts';

export type Settings = {
  readonly minutes: number;
  readonly seed: number;
  readonly short: boolean;
  /** Stop after this many faults. */
  readonly faults?: number | undefined;
  /** Only faults whose name contains this text. */
  readonly only?: string | undefined;
  readonly beside?: string | undefined;
  /** Concurrent clients that only read. The default is that of the form. */
  readonly readers?: number | undefined;
};

export type Outcome = {
  readonly faults: readonly string[];
  /** Faults that this machine does not allow, with the reason. */
  readonly left: readonly string[];
  readonly journal: Journal;
  readonly made: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
  /** Damages to the record that no invariant reported. */
  readonly blind: readonly string[];
  /** Damages for which the record had nothing to damage. */
  readonly untried: readonly string[];
  readonly drained: Drained;
  readonly minutes: number;
};

/** An answer that comes later than this after its deadline counts as a hang. One machine runs everything. */
export const latenessMs = 8_000;
// A feed shows at most 1,500 coming appointments. So the number of stores grows with the length of the run.
const appointmentsPerMinute = 500;
const shownByFeed = 1_500;
const leastFeeds = 2;
const faultsBeforeCalendars = 8;
const crowds = { short: { clients: 9, readers: 0 }, long: { clients: 16, readers: 16 } };

/** Starts the platform, makes faults under load, waits until all work is done, and judges the result. */
export async function run(settings: Settings, say: (text: string) => void): Promise<Outcome> {
  const { minutes, seed, short, beside } = settings;
  const startedAt = performance.now();
  const random = createRandom(seed);
  const { clients, readers } = crowds[short ? 'short' : 'long'];
  const feeds = short ? leastFeeds : leastFeeds + Math.ceil((minutes * appointmentsPerMinute) / shownByFeed);
  const options = {
    // Providers and clients have their own generators: the number of requests between two faults varies between runs.
    random: createRandom(seed + 2),
    // The last one is that of the store whose AI answers. An earlier version has none.
    phones: 2 + feeds + (beside === undefined ? 1 : 0),
    answers: beside === undefined,
    crowd: short ? 20 : 500,
    diskMegabytes: short ? 384 : 1_536,
    beside,
  };
  const work = async (platform: Platform): Promise<Outcome> => {
    const booking = beside === undefined;
    const [stores, crowd] = [await createStores(platform, { booking }), await createCrowd(platform)];
    const all = [...stores, ...crowd];
    const journal = createJournal();
    const { baseUrls } = platform;
    const load = startLoad({
      baseUrls,
      stores,
      journal,
      random: createRandom(seed + 1),
      clients,
      readers: settings.readers ?? readers,
    });
    const otherProgram = startOtherProgram({
      stores,
      journal,
      random: createRandom(seed + 4),
      calendar: platform.radicale,
    });
    const changing = startChanging({ baseUrls, stores, journal, random: createRandom(seed + 5) });
    const followers = startFollowers({ baseUrls, stores, journal, random: createRandom(seed + 3) });
    say(`The platform is up, its data and logs are in ${platform.folder}. The load runs.`);
    const disk = platform.disk();
    const left = [
      ...(typeof disk === 'string' ? [`PostgreSQL's disk is full (${disk})`] : []),
      ...(platform.isSecured ? [] : ['TLS to PostgreSQL (there is no openssl)']),
    ];
    for (const name of left) say(`Skipped: ${name}`);
    await pause(3_000);
    const faults = await makeTrouble({ platform, random, journal, crowd }, settings, say);
    await Promise.all([load.stop(), otherProgram.stop(), changing.stop()]);
    say('The faults are over. Waiting until all work is done.');
    await askForTheRest({ baseUrls, stores: all, journal });
    const { drained, seen } = await withServers(platform, async (open) => {
      const drained = await drain(platform, all, open, { say });
      await followers.finish();
      return { drained, seen: await look(platform, all, open) };
    });
    const recorded: Recorded = {
      journal: judgedOf(journal),
      seen,
    };
    const findings = judge(recorded);
    const outcome = {
      ...{ faults, left, journal, made: countsOf(recorded), findings, ...blindSpots(recorded, findings), drained },
      minutes: (performance.now() - startedAt) / 60_000,
    };
    if (!holds(outcome)) {
      const file = join(platform.folder, 'journal.json');
      writeFileSync(
        file,
        JSON.stringify(journal, (_, value) => (value instanceof Set ? [...value] : value)),
      );
      say(`Every request and answer is in ${file}.`);
    }
    return outcome;
  };
  return await onPlatform(options, work, holds);
}

/** Whether every invariant held, no answer was unexpected or late, and every damage was found. */
export const holds = ({ journal, findings, blind }: Outcome): boolean =>
  findings.every(({ faults }) => faults.length === 0) &&
  journal.unexpected.length + blind.length === 0 &&
  journal.latest.ms <= latenessMs;

function countsOf({
  journal,
  seen: { rows, messages, taken, workflows, feed, webhooks, merges, conversations },
}: Recorded): Record<string, number> {
  const of = (kind: string) => rows.filter((row) => row.kind === kind).length;
  return {
    appointments: of('appointment'),
    'appointments with places': of('booking'),
    leads: of('lead'),
    'messages of clients': of('message'),
    'follow-ups': of('followup'),
    'messages of customers': messages.filter(({ direction }) => direction === 'inbound').length,
    'changes of number or user id': journal.changing.reduce((sum, { ids }) => sum + ids.length - 1, 0),
    'leads merged': merges.length,
    'messages that the providers accepted': taken.length,
    'workflow runs': workflows.length,
    'events in the feeds': feed.length,
    'webhooks received': webhooks.length,
    'answers of the AI': conversations.reduce((sum, { said }) => sum + answers(said).length, 0),
    'lives of the readers of feeds': journal.followed.reduce((sum, { lives }) => sum + lives, 0),
  };
}

/** Short: one round of faults in a random order. Long: rounds until the time is over. */
async function makeTrouble(stage: Stage, settings: Settings, say: (text: string) => void): Promise<string[]> {
  const { platform, random, journal } = stage;
  const { minutes, short, faults: atMost = Number.POSITIVE_INFINITY, only = '' } = settings;
  const startedAt = performance.now();
  const seconds = () => ((performance.now() - startedAt) / 1000).toFixed(0).padStart(4);
  const done: string[] = [];
  const isTime = () => done.length < atMost && (short || performance.now() - startedAt < minutes * 60_000);
  do {
    const shuffled = random.shuffled(chooseFaults(stage, short)).filter(({ name }) => name.includes(only));
    const chosen = short ? calendarsEarly(shuffled) : shuffled;
    if (chosen.length === 0) throw new Error(`no fault name contains "${only}"`);
    for (const fault of chosen) {
      if (!isTime()) break;
      const before = journal.counts.requests;
      const note = await fault.run(stage);
      const recovered = await recovery(platform, fault, journal);
      done.push(fault.name);
      const requests = journal.counts.requests - before;
      const until = new Date().toISOString().slice('2027-01-31T'.length, -'.000Z'.length);
      say(`${until}  ${seconds()} s  ${fault.name}${note ? ` (${note})` : ''}: ${requests} requests, ${recovered}`);
      await pause(short ? 200 + random.below(600) : 1_000 + random.below(4_000));
    }
  } while (!short && isTime());
  return done;
}

/**
 * The faults of calendars among the first, when there are appointments. A calendar that fails is tried again after 5, 10, 20
 * and more seconds: the other faults happen meanwhile, instead of nothing at the end.
 */
function calendarsEarly(faults: readonly Fault[]): Fault[] {
  const ofCalendars = faults.filter(({ name }) => name.includes('calendar'));
  const others = faults.filter((fault) => !ofCalendars.includes(fault));
  return [...others.slice(0, faultsBeforeCalendars), ...ofCalendars, ...others.slice(faultsBeforeCalendars)];
}

/** Waits until every process is ready again. Only the supervisor restarts processes. */
async function recovery(platform: Platform, fault: Fault, journal: Journal): Promise<string> {
  const since = performance.now();
  try {
    await platform.untilReady();
    return `ready again after ${((performance.now() - since) / 1000).toFixed(1)} s`;
  } catch (error) {
    const why = ((error as Error).cause as Error | undefined)?.message ?? (error as Error).message;
    journal.unexpected.push(`not ready within ${readyWithinMs / 1000} s after "${fault.name}": ${why}`);
    return 'NOT READY';
  }
}
