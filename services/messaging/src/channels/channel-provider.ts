import type { connectChannel, RequestOf, ValidationFault } from '@mostrador/contracts';
import type { Database } from '@mostrador/kit/database/database';
import type { StatusUpdate } from '../messages/message.ts';
import type { ChannelRow } from './channel.repository.ts';

/**
 * Everything that this service knows about a kind of channel. One descriptor for each provider, in the provider's own
 * folder, listed in `providers.ts`. No other code asks which provider a channel has. Docs: docs/guides/adding-a-channel.md.
 */
export type ChannelProvider = {
  /** Faults of a request to connect, as pointers into its body. Calls nobody. */
  checkConnection(body: ConnectChannelBody): ValidationFault[];
  /** The address of the provider's API when the store gives none; null when the provider has no such address. */
  readonly defaultApiUrl: string | null;
  /** The credentials to store. `before` are those of the connection that this one replaces, where they can be read. */
  toCredentials(secrets: ConnectChannelBody['secrets'], before: unknown, nowMs: number): object | null;
  /** A page of this server that stands for the customer's telephone; null when the customer has a telephone. */
  readonly newPage: ((publicUrl: string) => { readonly url: string; readonly tokenHash: Buffer }) | null;
  /** Opens a connected channel to send over it. */
  open(channel: OpenChannel): ChannelAdapter;
  /** How the provider posts what happens on a channel; null when it posts nothing. */
  readonly webhook: ChannelWebhook | null;
  /** The provider accepts free text for this long after the customer last wrote, in milliseconds; null: always. */
  readonly replyWindowMs: number | null;
  /** Whether the provider posts status updates, so that a message without one is worth a look. */
  readonly reportsStatus: boolean;
  /** Whether calls go through the circuit breaker: true for everything beyond a network. */
  readonly guarded: boolean;
};

export type ConnectChannelBody = RequestOf<typeof connectChannel>['body'];

export type ChannelWebhook = {
  /** Where the provider posts. */
  urlOf(publicUrl: string, channelId: string): string;
  /** Whether the token of the provider's challenge is the channel's. Takes the same time wherever they differ. */
  verifyToken(credentials: unknown, token: string): boolean;
  /** Whether the header is a signature of these bytes. Takes the same time wherever they differ. */
  verifySignature(credentials: unknown, payload: Uint8Array, header: string, nowMs: number): boolean;
  /** Reads a posted payload, already parsed. Entries that are unknown or malformed never cost the others. */
  readNotification(payload: unknown, channel: Pick<ChannelRow, 'phone_number_id'>): Notification;
};

/** What `open` gets. `credentials` throws a `ChannelError` when they cannot be decrypted. */
export type OpenChannel = {
  readonly storeId: string;
  readonly channel: ChannelRow;
  readonly credentials: () => unknown;
  readonly database: Database;
};

/** A channel that messages are sent over. Every failure is a `ChannelError`. */
export type ChannelAdapter = {
  send(message: OutboundMessage, signal: AbortSignal): Promise<Accepted>;
};

/** `id` is ours. The provider echoes it with every status update, where it can. */
export type OutboundMessage = {
  id: string;
  /** The provider's own id of the customer, else the digits of the phone. */
  to: string;
  text: string;
  template: Template | null;
};

/** A message that the provider approved beforehand. `components` are sent as they are. */
export type Template = { name: string; language: string; components?: readonly Record<string, unknown>[] };

/** `waId`: the provider's own id of the customer, where it names one. It may differ from the number that was sent to. */
export type Accepted = { providerMessageId: string; waId: string | null };

/** What a provider posted. */
export type Notification = {
  readonly messages: readonly InboundMessage[];
  readonly statuses: readonly ReceivedStatusUpdate[];
  /** The number of entries that cannot be stored: without an id, or of an unknown sender. */
  readonly unusable: number;
};

/** A customer's message. */
export type InboundMessage = {
  readonly providerMessageId: string;
  /** The provider's own id of the customer: digits. */
  readonly waId: string;
  /** The name in the customer's profile, when the provider gives one. */
  readonly name: string | null;
  /** The provider's word for the kind of message: `text`, `image`, or one that is newer than this code. */
  readonly kind: string;
  /** The text or the caption; empty when there is none. */
  readonly body: string;
  /** When the customer wrote, by the provider's clock. */
  readonly writtenAt: Date;
};

/** A status of a message under the provider's id. `callbackData` is our id, where the provider echoes it. */
export type ReceivedStatusUpdate = StatusUpdate & {
  readonly providerMessageId: string;
  readonly callbackData: string | null;
};

/**
 * - `not_sent`: the provider certainly did not accept it (no connection, or a refusal that could be read); send again
 * - `throttled`: refused for now; `scope` says whether this customer or the whole number has to wait
 * - `ambiguous`: the provider may have accepted it; never send again
 * - `refused`: the provider will never accept this message
 * - `channel`: the provider accepts no message until a person mends the channel
 */
export type ChannelErrorKind = 'not_sent' | 'throttled' | 'ambiguous' | 'refused' | 'channel';

/** `detail` is read by people. It must hold neither the text nor the number of a message. */
export class ChannelError extends Error {
  readonly kind: ChannelErrorKind;
  readonly code: string;
  readonly detail: string;
  /** Of `throttled` only. */
  readonly scope: 'pair' | 'number' | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    kind: ChannelErrorKind,
    code: string,
    detail: string,
    options: { scope?: 'pair' | 'number'; retryAfterSeconds?: number; cause?: unknown } = {},
  ) {
    super(detail, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'ChannelError';
    this.kind = kind;
    this.code = code;
    this.detail = detail;
    this.scope = options.scope;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

/** The code of a failure that no adapter foresaw. */
export const unforeseen = 'channel_failed';

/** Any failure of a send as a `ChannelError`. A failure that no adapter foresaw may have happened after the send. */
export function toChannelError(error: unknown): ChannelError {
  if (error instanceof ChannelError) return error;
  const detail = 'It is not known whether the channel accepted the message.';
  return new ChannelError('ambiguous', unforeseen, detail, { cause: error });
}
