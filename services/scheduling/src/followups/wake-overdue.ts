import { wakeOverdue } from '@mostrador/kit/delivery/overdue';
import type { Dependencies } from '../dependencies.ts';
import { takeOverdueFollowups } from './followup.repository.ts';
import { wakeFollowup } from './followup.ts';

/** Wakes the workflows of follow-ups that nobody has looked at although their time has come. */
export const sweepOverdueFollowups = (
  { systemDatabase, relay }: Pick<Dependencies, 'systemDatabase' | 'relay'>,
  signal: AbortSignal,
): Promise<number> =>
  wakeOverdue(
    { systemDatabase, relay, take: takeOverdueFollowups, wakeUpOf: (row) => wakeFollowup(row, 'overdue') },
    signal,
  );
