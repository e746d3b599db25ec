/** A message on its way out. `id` is ours: it comes back with every status the channel reports. */
export type OutboundMessage = {
  id: string;
  /** The channel's own id of the customer, else the phone's digits. */
  to: string;
  text: string;
  template: Template | null;
};

/** A message the channel has approved beforehand; `components` go out as they are. */
export type Template = { name: string; language: string; components?: readonly Record<string, unknown>[] };

/** `waId`: the channel's own id of the customer, where it names one. It may differ from the number sent to. */
export type Accepted = { providerMessageId: string; waId: string | null };

/** What every channel can do. Whatever goes wrong is a ChannelError: the world's failures are data here. */
export type ChannelProvider = {
  send(message: OutboundMessage, signal: AbortSignal): Promise<Accepted>;
};

/**
 * - `not_sent`: the channel certainly did not take it (no connection, or a refusal we could read): may be sent again
 * - `throttled`: refused for now; `scope` says whether this customer or the whole number has to wait
 * - `ambiguous`: it may have been taken: never sent again
 * - `refused`: this message will never be taken
 * - `channel`: no message will be taken until a person mends the channel
 */
export type ChannelErrorKind = 'not_sent' | 'throttled' | 'ambiguous' | 'refused' | 'channel';

/** `detail` is read by people and must hold neither text nor number of a message. */
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
