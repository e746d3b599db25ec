import type { ListTotals } from '@mostrador/kit/database/list-totals';

/** The lists in `list_rows` of this schema (migrations/0001-base.sql). */
export const eventsLists = ['webhook_deliveries', 'webhook_endpoints'] as const;
export type EventsTotals = ListTotals<(typeof eventsLists)[number]>;
