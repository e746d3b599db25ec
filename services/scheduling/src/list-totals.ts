import type { ListTotals } from '@mostrador/kit/database/list-totals';

/** The lists in `list_rows` of this schema (migrations/0001-base.sql). */
export const schedulingLists = ['appointments', 'followups'] as const;
export type SchedulingTotals = ListTotals<(typeof schedulingLists)[number]>;
