import type {
  connectChannel,
  MessageContent,
  MessageMedia,
  MessagePricing,
  OptOut,
  RequestOf,
  ValidationFault,
} from '@mostrador/contracts';
import type { Egress } from '@mostrador/kit/clients/egress';
import type { Database } from '@mostrador/kit/database/database';
import type { ChannelRow } from './channel.repository.ts';
import type { ProviderNumber } from './provider-number.ts';
import type { ProviderTemplate, TemplatePage } from './provider-template.ts';

/**
 * Everything that this service knows about a provider: one descriptor per provider, in its own folder, listed in
 * `providers.ts`. No other code asks which provider a channel has. Docs: docs/guides/adding-a-channel.md.
 */
export type ChannelProvider = {
  /** Faults of a request to connect, as pointers into its body. Makes no calls. */
  checkConnection(body: ConnectChannelBody): ValidationFault[];
  /** The address of the provider's API when the store gives none; null when the provider has no such address. */
  readonly defaultApiUrl: string | null;
  /** The credentials to store. `before` are those of the connection that this one replaces, if they can be read. */
  toCredentials(secrets: ConnectChannelBody['secrets'], before: unknown, nowMs: number): object | null;
  /** A page that acts as the customer's telephone; null for a provider with real telephones. */
  readonly page: ChannelPage | null;
  /** The templates of every channel of the provider. Left out: an account has its own, which the adapter reads, or none. */
  readonly ownTemplates?: readonly ProviderTemplate[];
  /** Opens a connected channel to send over it. */
  open(channel: OpenChannel): ChannelAdapter;
  /** How to read the provider's webhooks; null when it posts none. */
  readonly webhook: ChannelWebhook | null;
  /**
   * The provider accepts free text for this long after the customer last wrote or called, in milliseconds; null: always.
   * A channel with a page may have its own: `replyWindowMsOf`.
   */
  readonly replyWindowMs: number | null;
  /** Whether the provider posts status updates. If so, the watchdog watches for a message without one. */
  readonly reportsStatus: boolean;
  /** The calling code of a customer whose phone is hidden, by the provider's own id. Left out: the id tells none. */
  marketOf?(userId: string): string | undefined;
  /**
   * The origin of the API that the channel is sent over, such as `https://graph.facebook.com`. The calls go through
   * its circuit. Null: the provider is not reached over a network. `to` is the customer that is written to, as in
   * `OutboundMessage`; null: the question is about the channel as a whole, or the customer is not known yet.
   */
  originOf(channel: Pick<ChannelRow, 'id' | 'api_url'>, to: string | null): string | null;
};

export type ConnectChannelBody = RequestOf<typeof connectChannel>['body'];

/** A page at an address with a secret token. */
export type ChannelPage = {
  newToken(): string;
  /** What finds the channel by the token. */
  hashOf(token: string): Buffer;
  urlOf(publicUrl: string, token: string): string;
  /** Reads what the page's provider has stored as a payload instead of posting it as a webhook. */
  readonly readNotification: ChannelWebhook['readNotification'];
};

export type ChannelWebhook = {
  /** Where the provider posts. */
  urlOf(publicUrl: string, channelId: string): string;
  /** Whether the token of the provider's challenge is the channel's. Compares in constant time. */
  verifyToken(credentials: unknown, token: string): boolean;
  /** Whether the header is a valid signature of these bytes. Compares in constant time. */
  verifySignature(credentials: unknown, payload: Uint8Array, header: string, nowMs: number): boolean;
  /** Reads a parsed payload that arrived at `at`. It counts the entries that it cannot read, and still returns the others. */
  readNotification(payload: unknown, channel: Pick<ChannelRow, 'phone_number_id'>, at: Date): Notification;
};

/** What `open` gets. `credentials` throws a `ChannelError` when they cannot be decrypted. */
export type OpenChannel = {
  readonly storeId: string;
  readonly channel: ChannelRow;
  readonly credentials: () => unknown;
  readonly database: Database;
  /** For every request to the address of the channel. */
  readonly egress: Egress;
};

/** One channel of a store. Every failure is a `ChannelError`. */
export type ChannelAdapter = {
  send(message: OutboundMessage, signal: AbortSignal): Promise<Accepted>;
  /**
   * Asks the provider, without sending, whether it would accept messages again from a channel that it has refused.
   * Throws when it would not, or when that is not known: then the channel keeps waiting.
   */
  check(signal: AbortSignal): Promise<void>;
  /** Reads what the provider says of the number. Left out by a provider that says nothing. */
  readNumber?(signal: AbortSignal): Promise<ProviderNumber>;
  /** Reads the page of the account's templates at a cursor, or the first one. Left out when it has none, or is not known. */
  readTemplates?(after: string | null, signal: AbortSignal): Promise<TemplatePage>;
};

/** A message to send. `id` is ours; a provider that can echoes it in every status update. */
export type OutboundMessage = {
  id: string;
  /** The provider's own id of the customer, else the digits of the phone. An id that derives from no phone is not all digits. */
  to: string;
  text: string;
  template: Template | null;
  /** The number of this attempt, from 1. */
  attempt: number;
};

/** A message that the provider approved beforehand. `components` are sent unchanged. */
export type Template = { name: string; language: string; components?: readonly Record<string, unknown>[] };

/** The provider's answer to a send. `waId` is its own id of the customer, which may differ from the number used. */
export type Accepted = { providerMessageId: string; waId: string | null };

/** What a provider posted. */
export type Notification = {
  readonly messages: readonly InboundMessage[];
  readonly statuses: readonly ReceivedStatusUpdate[];
  /** What is no message and changes something else. Left out when there is none. */
  readonly effects?: readonly InboundEffect[];
  /** How many entries could not be read, so that something may be missing from the other members. */
  readonly unreadable: number;
};

/** Who a customer is for the provider. At least one of the two is known. */
export type CustomerIds = {
  /** The provider's own id of the customer that derives from the phone: digits. */
  readonly waId: string | null;
  /** The provider's own id of the customer that does not derive from the phone. */
  readonly userId: string | null;
};

/** A customer's message: an entry whose kind counts as words in `inboundKinds`. Or one that the store wrote to a customer. */
export type InboundMessage = CustomerIds & {
  /** A person of the store wrote it on the store's own telephone, to the customer with these ids. Left out for any other. */
  readonly isEcho?: true;
  /** Another sender of the number holds the conversation, such as the provider's own AI: it wrote this echo, or will answer. */
  readonly isOnStandby?: true;
  /** The id that an echo gets; generated when left out. */
  readonly id?: string;
  readonly providerMessageId: string;
  /** The name in the customer's profile, when the provider gives one. */
  readonly name: string | null;
  /** The customer's username, without `@`. Left out when the provider gives none. */
  readonly username?: string;
  /** The provider's word for the kind of message: `text`, `image`, or one that is newer than this code. */
  readonly kind: string;
  /** The whole text or caption; empty when there is none. */
  readonly body: string;
  /** What it says beside its text, and its file. Left out when there is none. */
  readonly content?: MessageContent;
  readonly media?: MessageMedia;
  /** The provider's id of the message that it quotes. Left out when it quotes none. */
  readonly quotedId?: string;
  /** When the customer wrote, by the provider's clock. */
  readonly writtenAt: Date;
  /** What a button of the store says that the customer stops or resumes. Left out for any other message. */
  readonly optOut?: OptOutWish;
};

/** That a customer stops messages, or wants them again. */
export type OptOutWish = { readonly want: 'stop' | 'start'; readonly scope: OptOut['scope'] };

/** A change of the message `targetId`, which may not be known yet. `eventId` is the provider's id of the change. */
export type MessageChange = {
  readonly eventId: string;
  readonly targetId: string;
  readonly at: Date;
  /** Who changed it: a person on the store's own telephone. Left out: the customer. */
  readonly by?: 'seller';
  /** Whose conversation has the message. Left out: the channel does not say. */
  readonly customer?: CustomerIds;
} & (
  | {
      readonly kind: 'reaction';
      /** Null: it was taken back. */
      readonly emoji: string | null;
    }
  | { readonly kind: 'edit'; readonly body: string }
  | { readonly kind: 'revocation' }
);

/** A customer is `to` from now on, and `from` may become another person's. */
export type IdentityChange = {
  readonly eventId: string;
  readonly at: Date;
  readonly from: CustomerIds;
  readonly to: CustomerIds;
};

/** A message from before the number was connected, in either direction. */
export type HistoryMessage = InboundMessage & {
  /** What had become of it. One of the customer is `received`. */
  readonly status: 'received' | 'sent' | 'delivered' | 'read';
};

/** What an inbound entry changes that is no message. */
export type InboundEffect =
  | { readonly kind: 'message'; readonly change: MessageChange }
  | { readonly kind: 'identity'; readonly change: IdentityChange }
  | { readonly kind: 'opt_out'; readonly at: Date; readonly customer: CustomerIds; readonly wish: OptOutWish }
  /** Who answers a customer from now on: the store, or another agent of the number. */
  | {
      readonly kind: 'handover';
      readonly at: Date;
      readonly customer: CustomerIds;
      readonly owner: 'store' | 'other';
    }
  /** The customer placed a call to the store, which it may have taken or not. */
  | { readonly kind: 'call'; readonly at: Date; readonly customer: CustomerIds }
  /** Messages from and to one customer from before the number was connected. They may be known. */
  | { readonly kind: 'history'; readonly messages: readonly [HistoryMessage, ...HistoryMessage[]] }
  /** Changes in the conversation with one customer from before the number was connected. */
  | { readonly kind: 'history_changes'; readonly changes: readonly [MessageChange, ...MessageChange[]] }
  /** How much of the past the provider has told, in percent, or the code of the error why it tells nothing. */
  | { readonly kind: 'history_state'; readonly progress: number | null; readonly error: string | null }
  /** What the provider says of the account has changed: of its templates, or of the number. */
  | { readonly kind: 'account' }
  /** The store's own telephone has this customer in its address book. `name` is null: no longer. */
  | { readonly kind: 'contact'; readonly at: Date; readonly phone: string; readonly name: string | null }
  /** The provider accepts no message over the channel. */
  | { readonly kind: 'fault'; readonly at: Date; readonly error: { readonly code: string; readonly detail: string } };

/** The ids by which the provider knows the customer. The last one is in every message that it can be in. */
export const identitiesOf = ({ waId, userId }: CustomerIds): string[] => [waId, userId].filter((id) => id !== null);

/** All ids of the customers of a notification. */
export const customersOf = ({ messages = [], effects = [] }: Partial<Notification>): string[] => {
  const ofEffects = effects.flatMap((effect) => {
    if (effect.kind === 'identity') return [effect.change.from, effect.change.to];
    return 'customer' in effect ? [effect.customer] : [];
  });
  return [...new Set([...messages, ...ofEffects].flatMap(identitiesOf))];
};

/** Whether it tells only of what was before the number was connected. */
export const isHistory = ({ messages, statuses, effects = [] }: Notification): boolean =>
  messages.length + statuses.length === 0 &&
  effects.length > 0 &&
  effects.every(({ kind }) => kind.startsWith('history'));

/** A status update from a provider. */
export type StatusUpdate = {
  /** What the provider bills for the message. Left out: it does not say. */
  readonly pricing?: MessagePricing;
  readonly status: 'sent' | 'delivered' | 'read' | 'failed';
  readonly at: Date;
  /** Only for `failed`. */
  readonly error?: {
    readonly code: string;
    readonly detail: string;
    /** The provider refused the message because the lead opted out of this. */
    readonly optOut?: OptOut['scope'];
    /** It is the fault of the channel, so that the next messages would fail, too. As the kind `channel` of an error. */
    readonly ofChannel?: true;
  };
};

/** A status update under the provider's id of a message. `callbackData` is our id, if the provider echoes it. */
export type ReceivedStatusUpdate = StatusUpdate & {
  readonly providerMessageId: string;
  readonly callbackData: string | null;
  /** The phone that got the message, digits only, or the calling code of a hidden one. Left out: the provider tells neither. */
  readonly recipient?: string;
  /** Who got the message. Left out unless the channel tells both ids. */
  readonly customer?: CustomerIds;
};

/**
 * - `not_sent`: the provider certainly did not accept it (no connection, or a readable refusal); retry
 * - `throttled`: refused for now; retry later. `scope` says whether this customer or the whole number must wait
 * - `ambiguous`: the provider may have accepted it; never retry
 * - `refused`: the provider will never accept this message
 * - `channel`: the provider accepts no message until a check passes, or an operator connects the channel again
 */
export type ChannelErrorKind = 'not_sent' | 'throttled' | 'ambiguous' | 'refused' | 'channel';

/** A failed send. `detail` is shown to people, so it must not contain the text or the number of a message. */
export class ChannelError extends Error {
  readonly kind: ChannelErrorKind;
  readonly code: string;
  readonly detail: string;
  /** Only for `throttled`. */
  readonly scope: 'pair' | 'number' | undefined;
  /** What the customer has opted out of, if the provider refused the message for it. */
  readonly optOut: OptOut['scope'] | undefined;
  readonly retryAfterSeconds: number | undefined;
  /**
   * Whether the provider itself failed: a timeout, a refused connection, a 5xx. False: it has answered. Undefined: the
   * failure does not tell, for example because no call was made.
   */
  readonly outage: boolean | undefined;

  constructor(
    kind: ChannelErrorKind,
    code: string,
    detail: string,
    options: {
      scope?: 'pair' | 'number';
      optOut?: OptOut['scope'];
      retryAfterSeconds?: number;
      outage?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(detail, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'ChannelError';
    this.kind = kind;
    this.code = code;
    this.detail = detail;
    this.scope = options.scope;
    this.optOut = options.optOut;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.outage = options.outage;
  }
}

/** The code of an unexpected failure in an adapter. */
export const unforeseen = 'channel_failed';

/** Any failure of a send as a `ChannelError`. An unexpected one is `ambiguous`, because it may come after the send. */
export function toChannelError(error: unknown): ChannelError {
  if (error instanceof ChannelError) return error;
  const detail = 'The send failed unexpectedly. It is not known whether the provider accepted the message.';
  return new ChannelError('ambiguous', unforeseen, detail, { cause: error });
}
