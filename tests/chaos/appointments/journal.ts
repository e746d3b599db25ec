import type { ChaosStore } from './platform.ts';

/** What the client's side knows of one request. */
export type Attempt = {
  readonly sentAt: number;
  /** The HTTP status; 0: the connection broke, or no answer came. */
  readonly status: number;
  readonly afterMs: number;
};

/** What the row may hold: more than one thing after a change whose outcome is unknown. */
export type Content = { readonly title: string; readonly status: 'scheduled' | 'cancelled' };

/** One appointment that a client wanted, and everything it was told about it. */
export type Entry = {
  readonly store: ChaosStore;
  readonly key: string;
  /** Finds the row whatever was changed: the notes stay as they were. */
  readonly notes: string;
  readonly body: Readonly<Record<string, unknown>> & { readonly title: string; readonly scheduled_at: string };
  readonly attempts: Attempt[];
  /** The ids it was given; more than one is a doubling. */
  readonly ids: Set<string>;
  /** The first 2xx, byte for byte. */
  acknowledged?: string;
  /** The client gave up after a failure and never came back. */
  abandoned: boolean;
  /** One of these is in the row. */
  may: Content[];
  /** Somebody is at it, or it is not to be touched any more. */
  busy: boolean;
};

export type Counts = {
  requests: number;
  acknowledged: number;
  unavailable: number;
  unknown: number;
  replayed: number;
  changes: number;
};

/** Everything that was asked and answered in a run. */
export type Journal = {
  readonly entries: Entry[];
  readonly counts: Counts;
  /** Answers that no fault excuses. */
  readonly unexpected: string[];
  /** How much later than its deadline the latest answer came. */
  latestMs: number;
};

export const createJournal = (): Journal => ({
  entries: [],
  counts: { requests: 0, acknowledged: 0, unavailable: 0, unknown: 0, replayed: 0, changes: 0 },
  unexpected: [],
  latestMs: Number.NEGATIVE_INFINITY,
});
