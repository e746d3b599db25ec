import type { Phone } from './providers.ts';

export type ChaosLead = { readonly id: string; readonly phone: string };
export type ChaosStore = {
  readonly id: string;
  readonly key: string;
  readonly calendar: 'feed' | 'caldav';
  readonly feedUrl: string | null;
  /** Set for the store whose appointments take places. Another program changes events in its calendar. */
  readonly booked: { readonly calendarUrl: string; readonly sellerId: string } | null;
  /** Whether its AI answers. Only its own customers write to it. */
  readonly answers: boolean;
  readonly phone: Phone;
  /** Leads that have written, so that the store can write to them. */
  readonly leads: ChaosLead[];
  /** The leads of customers whose number or user id changes. They have written, too. */
  readonly changing: { readonly id: string }[];
};

/** One request, as its client saw it. */
export type Attempt = {
  readonly sentAt: number;
  /** The HTTP status; 0: the connection broke, or no answer came. */
  readonly status: number;
  readonly afterMs: number;
  /** The link to the gateway was good and the gateway was not stalled, so the gateway read the request at once. */
  readonly wasGood: boolean;
  /** The timeout of the gateway, when it is not the usual one. */
  readonly limitMs?: number;
};

/** A booking is an appointment that takes a place. */
export type Kind = 'appointment' | 'booking' | 'lead' | 'message' | 'followup';

/** One creation under one key, with all its attempts and answers. */
export type Entry = {
  readonly kind: Kind;
  readonly storeId: string;
  readonly key: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** A text that only this row has, and that never changes. */
  readonly mark: string;
  readonly leadId: string | null;
  readonly attempts: Attempt[];
  /** The ids in answers. More than one means a duplicate. */
  readonly ids: Set<string>;
  /** The body of the first 2xx answer, byte for byte. */
  acknowledged?: string;
  acknowledgedAt?: number;
  /** After this time the request is no longer valid. */
  readonly askUntil?: number;
  /** The client gave up after a failure and never came back. */
  abandoned: boolean;
  /** Possible contents of the row. There are two after a change of unknown outcome. */
  may: Readonly<Record<string, string>>[];
  /** The outcome of the cancellation of a follow-up or a booking. */
  cancel: 'not asked' | 'cancelled' | 'refused' | 'unknown';
  /** A message to a lead that is merged into another one, which can happen before the request comes. */
  readonly toMerged?: boolean;
  /** A client uses this entry, or its content is unknown. */
  busy: boolean;
};

/** One message of a customer. The provider posts it once or more often. */
export type Written = {
  readonly storeId: string;
  /** Null: the lead of `by`. */
  readonly leadId: string | null;
  readonly by?: Changing;
  /** The provider's message id. Duplicates have the same one. */
  readonly id: string;
  readonly text: string;
  readonly firstAt: number;
  posts: number;
  acknowledgedAt?: number;
};

/** A customer whose number or user id changes. No other customer has one of these, but for a number that was lost. */
export type Changing = {
  readonly storeId: string;
  /** Every number and user id that the customer has had. */
  readonly ids: string[];
  /** Those that the customer has no more, and since when the API shows the ones that follow. */
  readonly left: { readonly id: string; readonly since: number }[];
  /** The number of the customer that another person has now. */
  lost?: string;
  /** Who had the number of this customer before. */
  readonly before?: Changing;
  /** Who the customer is, as far as WhatsApp has told. */
  now: { readonly phone: string | null; readonly userId: string };
  /** Null: the API has not shown it. */
  leadId: string | null;
};

/** What a reader of a feed kept, over all its lives. */
export type Followed = {
  readonly storeId: string;
  readonly by: 'long polls' | 'the stream';
  readonly events: { readonly id: string; readonly sequence: number }[];
  /** Where it goes on: what the feed called `next`, or the last event's id on the stream. */
  after: number;
  lives: number;
};

export type Counts = {
  requests: number;
  acknowledged: number;
  unavailable: number;
  unknown: number;
  replayed: number;
  /** 409 because the state had changed, such as a cancellation that came too late. */
  refused: number;
  /** Changes that another program made in calendars. */
  inCalendars: number;
};

export type ResponseTimes = { readonly p99Ms: number; readonly requests: number };

/** Every request and answer of a run. */
export type Journal = {
  readonly entries: Entry[];
  readonly written: Written[];
  readonly followed: Followed[];
  readonly changing: Changing[];
  readonly counts: Counts;
  /** Answers that no fault explains. */
  readonly unexpected: string[];
  /** Set where no fault is made. Gets every request that failed, also for a reason that a fault would explain. */
  failed?: string[];
  /** The latest answer, in milliseconds after its deadline. Excludes requests over a bad link. */
  latest: { readonly ms: number; readonly what: string };
  /**
   * Requests without an answer some time after their deadline. Status 0: none came. Excludes requests over a bad link.
   */
  readonly late: { readonly what: string; readonly status: number }[];
  /** Set while a fault measures response times. Gets those of the load, in milliseconds. */
  watch: ((ms: number) => void) | null;
  /** One for each time that the crowd's provider hung: the other stores' response times before it and beside it. */
  readonly besideCrowd: { readonly before: ResponseTimes; readonly beside: ResponseTimes }[];
  /** Incremented when the clients' link becomes bad and when it is repaired. So it is odd while the link is bad. */
  clientsWayChanges: number;
};

export const createJournal = (): Journal => ({
  entries: [],
  written: [],
  followed: [],
  changing: [],
  counts: { requests: 0, acknowledged: 0, unavailable: 0, unknown: 0, replayed: 0, refused: 0, inCalendars: 0 },
  unexpected: [],
  latest: { ms: Number.NEGATIVE_INFINITY, what: 'none' },
  late: [],
  watch: null,
  besideCrowd: [],
  clientsWayChanges: 0,
});

/** What the invariants read of a journal. */
export const judgedOf = ({ entries, written, followed, changing }: Journal) => ({
  ...{ entries, written, followed, changing },
});

export const newEntry = (
  wanted: Pick<Entry, 'kind' | 'storeId' | 'key' | 'path' | 'body' | 'mark' | 'leadId' | 'may'>,
): Entry => ({ ...wanted, attempts: [], ids: new Set(), abandoned: false, cancel: 'not asked', busy: true });
