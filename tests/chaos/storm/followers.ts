import { setTimeout as pause } from 'node:timers/promises';
import { eventStream } from '@mostrador/testing/event-stream';
import type { Random } from '@mostrador/testing/random';
import type { ChaosStore, Followed, Journal } from './journal.ts';

export type Followers = {
  /** Reads to the end of every feed, without faults, and ends. */
  finish(): Promise<void>;
};

type Event = { readonly id: string; readonly sequence: number };
type FollowersOptions = {
  readonly baseUrls: () => readonly string[];
  readonly stores: readonly ChaosStore[];
  readonly journal: Journal;
  readonly random: Random;
};

const waitSeconds = 20;
const pageSize = 100;
/** The average time after which a reader is killed. Its next run begins after the last event that it kept. */
const lifeMs = 4_000;
const restMs = 300;
/** The end of a feed is reached when a request without a wait finds nothing. */
const lastRequestMs = 15_000;
const lastTries = 5;

/**
 * Starts two readers of each feed: one with long polls, one on the stream. Each is killed at random, and goes on after the
 * last event that it kept. What they kept must be the feed, without a gap and without a repetition.
 */
export function startFollowers(options: FollowersOptions): Followers {
  const { stores, journal, random, baseUrls } = options;
  let on = true;
  let turn = 0;
  const anyUrl = () => {
    const urls = baseUrls();
    return urls[turn++ % urls.length] as string;
  };
  const lives = new Set<AbortController>();

  const follow = async (followed: Followed, live: Live) => {
    while (on) {
      const life = new AbortController();
      lives.add(life);
      const kill = setTimeout(() => life.abort(), lifeMs * (0.5 + random.next()));
      // A broken connection and a gateway that is gone are part of a storm.
      await live(followed, life.signal).catch(() => {});
      clearTimeout(kill);
      lives.delete(life);
      followed.lives += 1;
      if (on) await pause(restMs * (0.5 + random.next()));
    }
  };
  const keyOf = new Map(stores.map(({ id, key }) => [id, key]));
  const open = (followed: Followed, path: string, signal: AbortSignal) =>
    fetch(`${anyUrl()}${path}`, { headers: { 'x-api-key': keyOf.get(followed.storeId) as string }, signal });

  const poll = async (followed: Followed, signal: AbortSignal, wait = waitSeconds): Promise<boolean> => {
    const response = await open(followed, `/events?after=${followed.after}&limit=${pageSize}&wait=${wait}`, signal);
    const text = await response.text();
    if (!response.ok) {
      note(journal, followed, response.status, text);
      throw new Error(`${response.status}`);
    }
    const { data, next } = JSON.parse(text) as { data: Event[]; next: number };
    followed.events.push(...data.map(kept));
    followed.after = next;
    return data.length > 0;
  };
  /** What is still missing after some tries is reported by the invariant. */
  const readTheRest = async (followed: Followed) => {
    for (let failures = 0; failures < lastTries; ) {
      const more = await poll(followed, AbortSignal.timeout(lastRequestMs), 0).catch(() => undefined);
      if (more === false) return;
      if (more === undefined) failures += 1;
    }
  };
  const polls: Live = async (followed, signal) => {
    while (on) await poll(followed, signal);
  };
  const streams: Live = async (followed, signal) => {
    const response = await open(followed, `/events/stream?after=${followed.after}`, signal);
    if (!response.ok) {
      note(journal, followed, response.status, await response.text());
      return;
    }
    for await (const { id, data } of eventStream(response)) {
      followed.events.push(kept(JSON.parse(data)));
      followed.after = Number(id);
    }
  };

  const followers = stores.flatMap((store) => [
    { followed: newFollowed(store.id, 'long polls'), live: polls },
    { followed: newFollowed(store.id, 'the stream'), live: streams },
  ]);
  journal.followed.push(...followers.map(({ followed }) => followed));
  const running = followers.map(({ followed, live }) => follow(followed, live));
  return {
    async finish() {
      on = false;
      for (const life of lives) life.abort();
      await Promise.all(running);
      for (const { followed } of followers) await readTheRest(followed);
    },
  };
}

/** One life of a reader, until it is killed or its connection breaks. */
type Live = (followed: Followed, signal: AbortSignal) => Promise<void>;

const kept = ({ id, sequence }: Event): Event => ({ id, sequence });

const newFollowed = (storeId: string, by: Followed['by']): Followed => ({
  storeId,
  by,
  events: [],
  after: 0,
  lives: 0,
});

function note(journal: Journal, { by }: Followed, status: number, text: string): void {
  if (status < 500) journal.unexpected.push(`a reader by ${by} was answered ${status} ${text.slice(0, 300)}`);
}
