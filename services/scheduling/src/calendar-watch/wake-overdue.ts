import { wakeWorkflow } from '@mostrador/kit/outbox/outbox';
import type { OverdueRows } from '@mostrador/kit/step/overdue';
import { countOverdueWatches, longestOverdueWatch, type OverdueWatch, takeOverdueWatches } from './watch.repository.ts';

/** Connected calendars that no step has looked at although the next look is overdue. */
export const overdueWatches: OverdueRows<OverdueWatch> = {
  name: 'calendar watches',
  take: takeOverdueWatches,
  count: countOverdueWatches,
  longest: longestOverdueWatch,
  wakeUpOf: ({ id }) => wakeWorkflow('calendarWatch', id, 'overdue'),
};
