import { call, type Sender } from '../client.ts';
import type { components } from '../generated/schema.ts';
import type { ConnectionError, ProblemError } from '../problem.ts';
import type { SendOptions } from '../send.ts';
import type { Route } from '../types.ts';
import { type EventPage, Follower } from './follower.ts';
import { streamSource } from './stream.ts';

/** An event of the feed. `type` tells what `data` has. */
export type FeedEvent = components['schemas']['Event'];
/** The event of a type: `FeedEventOf<'lead.created'>`. */
export type FeedEventOf<Type extends FeedEvent['type']> = Extract<FeedEvent, { readonly type: Type }>;

export type FollowInput<Type extends FeedEvent['type']> = {
  /** The cursor that you stored. 0: from the oldest event that the feed has. -1: from now on. */
  readonly after: number;
  /** Only events of these types. */
  readonly types?: readonly Type[];
  /** Only events of this resource. */
  readonly entity_id?: string;
};

export type FollowOptions = {
  /** Ends the loop, without an error. */
  readonly signal?: AbortSignal;
  /** How many attempts in a row may fail. Default: any number. */
  readonly maxRetries?: number;
  /** Called before each new attempt, with why it is needed. */
  readonly onRetry?: (error: ProblemError | ConnectionError) => void;
};

type Follow = <Type extends FeedEvent['type'] = FeedEvent['type']>(
  input: FollowInput<Type>,
  options?: FollowOptions,
) => Follower<FeedEventOf<Type>>;

export type Feed = {
  /** Follows the feed by requests that wait for events: `GET /events`. */
  readonly follow: Follow;
  /** Follows the feed by server-sent events: `GET /events/stream`. Events come a little sooner, on one connection. */
  readonly stream: Follow;
};

const list: Route = { method: 'GET', path: '/events', input: 'query' };
const stream: Route = { ...list, path: '/events/stream' };
/** What the server allows at most. */
const waitSeconds = 20;
const pageSize = 100;
/** An attempt must be longer than the server waits. */
const leastAttemptMs = 30_000;

/** The functions that follow the feed. Unlike other calls they go on when the server is away for long. */
export function feedOf(sender: Sender): Feed {
  const { requestOf, settings } = sender;
  const optionsOf = (options: FollowOptions): SendOptions => ({
    ...settings,
    attemptTimeoutMs: Math.max(settings.attemptTimeoutMs, leastAttemptMs),
    timeoutMs: Number.POSITIVE_INFINITY,
    maxRetries: Number.POSITIVE_INFINITY,
    ...options,
  });
  return {
    follow({ after, ...filters }, options = {}) {
      async function* poll(position: () => number) {
        for (;;) {
          // The first answer of `-1` gives a position, from which a broken connection loses nothing.
          const wait = position() < 0 ? 0 : waitSeconds;
          const input = { ...filters, after: position(), limit: pageSize, wait };
          yield (await call(sender, list, input, optionsOf(options))) as EventPage<never>;
        }
      }
      return new Follower(poll, after, options.signal);
    },
    stream({ after, ...filters }, options = {}) {
      const requestFrom = (position: number) =>
        requestOf(stream, { ...filters, after }, position < 0 ? {} : { 'Last-Event-ID': String(position) });
      return new Follower(streamSource(requestFrom, optionsOf(options)), after, options.signal);
    },
  };
}
