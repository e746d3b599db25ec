import type { Lead, LeadStatus } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

export const leadStatuses = ['pending', 'in_progress', 'converted', 'lost'] as const satisfies readonly LeadStatus[];
export const isLeadStatus = (value: unknown): value is LeadStatus => leadStatuses.some((status) => status === value);

const statuses: Readonly<Record<LeadStatus, () => string>> = {
  pending: m.leads_pending,
  in_progress: m.leads_in_progress,
  converted: m.leads_converted,
  lost: m.leads_lost,
};
export const wordsOfStatus = (status: LeadStatus): string => statuses[status]();

/** A phone as it is dialled from anywhere. Empty for a customer who hides it. */
export const phoneOf = ({ customer_phone }: Pick<Lead, 'customer_phone'>): string =>
  customer_phone === null || customer_phone.startsWith('+') ? (customer_phone ?? '') : `+${customer_phone}`;

/** What tells a lead from others of the same name: the phone, else the username. */
export const addressOf = (lead: Pick<Lead, 'customer_phone' | 'username'>): string =>
  phoneOf(lead) || (lead.username ? `@${lead.username}` : m.leads_no_phone());
