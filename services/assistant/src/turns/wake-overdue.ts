import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { type OverdueTurn, overdueTurnRows } from './turn.repository.ts';
import { wakeReply } from './turn.ts';

/** Open turns that no step has handled although they are due. */
export const overdueTurns: OverdueRows<OverdueTurn> = {
  name: 'AI turns',
  ...overdueTurnRows,
  wakeUpOf: ({ lead_id }) => wakeReply(lead_id, 'overdue'),
};
