/** The size of the measurements. */
export type MessagingPlan = {
  readonly rounds: number;
  /** The customers of a store, who get and send messages in turn. */
  readonly leads: number;
  /** The duration of a load of messages. */
  readonly seconds: number;
  /** The duration of a load at a steady rate, and of a look at the idle platform. */
  readonly longSeconds: number;
  /** How long the platform rests before that look. */
  readonly restSeconds: number;
  /** The number of webhooks in a burst. */
  readonly webhooks: number;
  /** The number of messages received, and of messages sent, whose data is measured. */
  readonly stored: number;
  /** The other stores with a queue, and the length of each: ten leads have it together. */
  readonly backlog: { readonly stores: number; readonly messages: number };
};

/** The result of one measurement. */
export type Measured = {
  /** By name, which says the unit. */
  readonly figures: Readonly<Record<string, number>>;
  /** Processor time of each process for one message, in milliseconds. */
  readonly cpuMs: Readonly<Record<string, number>>;
};
