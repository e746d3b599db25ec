import { type Finding, toTime } from './finding.ts';

/** A number of a store about which its provider complains. */
export type TroubledNumber = {
  readonly store_id: string;
  readonly health: 'warned' | 'blocked';
  /** When the provider was asked last. */
  readonly checked_at: Date;
};

/** A finding for each store. Pure. */
export const judgeNumbers = (numbers: readonly TroubledNumber[]): Finding[] =>
  numbers.map(({ store_id, health, checked_at }) => ({
    ...(health === 'blocked'
      ? { severity: 'warning' as const, what: `The provider blocks the number of the store ${store_id}` }
      : { severity: 'note' as const, what: `The provider warns about the number of the store ${store_id}` }),
    since: null,
    why: `\`channel show\` has its status, quality and limits, read at ${toTime(checked_at)}.`,
    remedy:
      'Only the store can repair it, in the WhatsApp Manager of its business. Its console says so under Connections.',
  }));
