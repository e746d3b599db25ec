import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { type OverdueFollowup, overdueFollowupRows } from './followup.repository.ts';
import { wakeFollowup } from './followup.ts';

/** Follow-ups that no step has handled although their next attempt is overdue. */
export const overdueFollowups: OverdueRows<OverdueFollowup> = {
  name: 'follow-ups',
  ...overdueFollowupRows,
  wakeUpOf: (row) => wakeFollowup(row, 'overdue'),
};
