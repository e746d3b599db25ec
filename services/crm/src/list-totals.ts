import type { ListTotals } from '@mostrador/kit/database/list-totals';

/** The lists in `list_rows` of this schema (migrations/0001-base.sql). */
export const crmLists = ['agents', 'documents', 'leads', 'sellers'] as const;
export type CrmTotals = ListTotals<(typeof crmLists)[number]>;
