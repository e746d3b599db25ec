import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { countOverdueTurns, longestOverdueTurn, type OverdueTurn, takeOverdueTurns } from './turn.repository.ts';
import { wakeReply } from './turn.ts';

/** Open turns that no step has handled although they are due. */
export const overdueTurns: OverdueRows<OverdueTurn> = {
  name: 'AI turns',
  take: takeOverdueTurns,
  count: countOverdueTurns,
  longest: longestOverdueTurn,
  wakeUpOf: ({ lead_id }) => wakeReply(lead_id, 'overdue'),
};
