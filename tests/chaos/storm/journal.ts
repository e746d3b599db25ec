import type { Phone } from './providers.ts';

export type ChaosLead = { readonly id: string; readonly phone: string };
export type ChaosStore = {
  readonly id: string;
  readonly key: string;
  readonly calendar: 'feed' | 'caldav';
  readonly feedUrl: string | null;
  readonly phone: Phone;
  /** Those that have written, so that they can be written to. */
  readonly leads: ChaosLead[];
};

/** What the client's side knows of one request. */
export type Attempt = {
  readonly sentAt: number;
  /** The HTTP status; 0: the connection broke, or no answer came. */
  readonly status: number;
  readonly afterMs: number;
  /** The client's way was whole and the gateway was not stalled: what was sent was read at once. */
  readonly wasGood: boolean;
};

export const kinds = ['appointment', 'lead', 'message', 'followup'] as const;
export type Kind = (typeof kinds)[number];

/** One thing that a client wanted made under one key, and everything it was told about it. */
export type Entry = {
  readonly kind: Kind;
  readonly storeId: string;
  readonly key: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Stands in the row and in no other, and never changes. */
  readonly mark: string;
  readonly leadId: string | null;
  readonly attempts: Attempt[];
  /** The ids it was given; more than one is a doubling. */
  readonly ids: Set<string>;
  /** The first 2xx, byte for byte, and when it came. */
  acknowledged?: string;
  acknowledgedAt?: number;
  /** From then on what is asked for makes no sense any more. */
  readonly askUntil?: number;
  /** The client gave up after a failure and never came back. */
  abandoned: boolean;
  /** One of these is in the row: more than one after a change whose outcome is unknown. */
  may: Readonly<Record<string, string>>[];
  /** What a follow-up's cancellation was answered with. */
  cancel: 'not asked' | 'cancelled' | 'refused' | 'unknown';
  /** Somebody is at it. */
  busy: boolean;
};

/** What one customer wrote, posted once or more often. */
export type Written = {
  readonly storeId: string;
  readonly leadId: string;
  /** The provider's id: the same again is the same message. */
  readonly id: string;
  readonly text: string;
  readonly firstAt: number;
  posts: number;
  acknowledgedAt?: number;
};

export type Counts = {
  requests: number;
  acknowledged: number;
  unavailable: number;
  unknown: number;
  replayed: number;
  /** 409 where the state has moved on: a cancellation that came too late. */
  refused: number;
};

/** Everything that was asked and answered in a run. */
export type Journal = {
  readonly entries: Entry[];
  readonly written: Written[];
  readonly counts: Counts;
  /** Answers that no fault excuses. */
  readonly unexpected: string[];
  /** How much later than its deadline the latest answer came, but for those whose way to the client was bad. */
  latest: { readonly ms: number; readonly what: string };
  /** Raised when the clients' own way becomes bad, and when it is mended: odd while it is. */
  clientsWayChanges: number;
};

export const createJournal = (): Journal => ({
  entries: [],
  written: [],
  counts: { requests: 0, acknowledged: 0, unavailable: 0, unknown: 0, replayed: 0, refused: 0 },
  unexpected: [],
  latest: { ms: Number.NEGATIVE_INFINITY, what: 'none' },
  clientsWayChanges: 0,
});

export const newEntry = (
  wanted: Pick<Entry, 'kind' | 'storeId' | 'key' | 'path' | 'body' | 'mark' | 'leadId' | 'may'>,
): Entry => ({ ...wanted, attempts: [], ids: new Set(), abandoned: false, cancel: 'not asked', busy: true });
