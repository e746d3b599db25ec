import { followupStatuses } from '@mostrador/contracts';
import { createTimeList } from '../time-list.repository.ts';
import type { FollowupRow } from './followup.ts';
import type { FollowupFilters } from './followup-list.ts';

export const followupList = createTimeList<FollowupRow, 'due_at', FollowupFilters>({
  table: 'followups',
  column: 'due_at',
  statuses: followupStatuses,
  isOfOne: ({ lead_id, appointment_id }) => lead_id !== undefined || appointment_id !== undefined,
  own: (sql, { from, appointment_id }) => sql`
    ${appointment_id ? sql`and appointment_id = ${appointment_id}` : sql``}
    ${from ? sql`and due_at >= ${from}` : sql``}`,
});
