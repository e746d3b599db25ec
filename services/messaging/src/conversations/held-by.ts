/** What says who answers a conversation, by the channel's clock. */
export type Holding = {
  readonly handover_at: Date | null;
  readonly handover_owner: 'store' | 'other' | null;
  /** When the channel last told of a message on standby. */
  readonly standby_at: Date | null;
  /** When the customer, or the store, last wrote over the store's own connection since then. */
  readonly standby_ended_at: Date | null;
};

/**
 * Who answers the customer now: the store, or another agent of the number. The latest sign decides. Of signs of the same
 * second a handover counts first, and then a message on standby.
 */
export function heldBy({ handover_at, handover_owner, standby_at, standby_ended_at }: Holding): 'store' | 'other' {
  const timeOf = (at: Date | null) => at?.getTime() ?? Number.NEGATIVE_INFINITY;
  const signs = [
    { by: handover_owner, at: timeOf(handover_at) },
    { by: 'other', at: timeOf(standby_at) },
    { by: 'store', at: timeOf(standby_ended_at) },
  ] as const;
  const last = signs.reduce((one, next) => (next.at > one.at ? next : one));
  return last.by ?? 'store';
}
