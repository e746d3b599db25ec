import { wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { type OverdueWatch, overdueWatchRows } from './watch.repository.ts';

/** Connected calendars that no step has looked at although the next look is overdue. */
export const overdueWatches: OverdueRows<OverdueWatch> = {
  name: 'calendar watches',
  ...overdueWatchRows,
  wakeUpOf: ({ id }) => wakeWorkflow('calendarWatch', id, 'overdue'),
};
