import type { LeadStatus } from '../api/platform.ts';

export const leadStatuses = ['pending', 'in_progress', 'converted', 'lost'] as const satisfies readonly LeadStatus[];
export const isLeadStatus = (value: unknown): value is LeadStatus => leadStatuses.some((status) => status === value);
