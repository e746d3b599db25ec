import { OneOf } from './common.ts';

export const leadStatuses = ['pending', 'in_progress', 'converted', 'lost'] as const;
export const LeadStatus = OneOf(leadStatuses);
