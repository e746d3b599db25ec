import type { ReplayedTurn } from './agent-queries.ts';

type Turn = Pick<ReplayedTurn, 'differs'> & {
  readonly before: Pick<ReplayedTurn['before'], 'action'>;
  readonly after: Pick<ReplayedTurn['after'], 'action'>;
};

/** What a trial on several conversations comes to. */
export type ReplaySum = {
  readonly count: number;
  readonly differ: number;
  /** How often a person was called, and would be. */
  readonly handedOver: { readonly before: number; readonly after: number };
  /** Answers that could not be sent. */
  readonly failed: number;
};

/** Pure. */
export function sumOf(turns: readonly Turn[]): ReplaySum {
  const countOf = (side: 'before' | 'after', action: ReplayedTurn['after']['action']) =>
    turns.filter((turn) => turn[side].action === action).length;
  return {
    count: turns.length,
    differ: turns.filter(({ differs }) => differs).length,
    handedOver: { before: countOf('before', 'hand_over'), after: countOf('after', 'hand_over') },
    failed: countOf('after', 'failed'),
  };
}
