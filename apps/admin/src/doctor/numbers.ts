import { type Finding, type FoundStore, judgeStores, toTime } from './finding.ts';

/** A number of a store about which its provider complains. */
export type TroubledNumber = FoundStore & {
  readonly health: 'warned' | 'blocked';
  /** When the provider was asked last. */
  readonly checked_at: Date;
};

const complaints = { blocked: 'blocks', warned: 'warns about' } as const;

/** A finding for each store. Pure. */
export const judgeNumbers = (numbers: readonly TroubledNumber[]): Finding[] =>
  judgeStores(
    numbers,
    ({ health, checked_at }) => ({
      severity: health === 'blocked' ? 'warning' : 'note',
      since: null,
      why: `\`channel show\` has its status, quality and limits, read at ${toTime(checked_at)}.`,
      remedy:
        'Only the store can repair it, in the WhatsApp Manager of its business. Its console says so under Connections.',
    }),
    (stores, row) => `The provider ${row ? complaints[row.health] : 'blocks or warns about'} the number of ${stores}`,
  );
