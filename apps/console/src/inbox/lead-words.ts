import type { LeadStatus } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

const words: Readonly<Record<LeadStatus, () => string>> = {
  pending: m.inbox_lead_pending,
  in_progress: m.inbox_lead_in_progress,
  converted: m.inbox_lead_converted,
  lost: m.inbox_lead_lost,
};
export const wordsOfLeadStatus = (status: LeadStatus): string => words[status]();
