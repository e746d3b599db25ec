import type { ListTotals } from '@mostrador/kit/database/list-totals';

/** The lists in `list_rows` of this schema (migrations/0001-base.sql). */
export const messagingLists = ['conversations', 'messages'] as const;
export type MessagingTotals = ListTotals<(typeof messagingLists)[number]>;
