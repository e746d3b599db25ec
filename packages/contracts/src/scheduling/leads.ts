import { Type } from '@sinclair/typebox';
import { defineOperation } from '../core/operation.ts';
import { LeadMerge } from '../crm/leads.ts';

/**
 * Moves the appointments and follow-ups of a merged lead to the lead that stays, in one transaction. Safe to repeat.
 * Answers how many it moved. Comes after `mergeLead` of crm.
 */
export const mergeLeadScheduling = defineOperation({
  subject: 'scheduling.admin.leads.merge',
  summary: 'Move the appointments and follow-ups of a merged lead to the lead that stays',
  request: { body: LeadMerge },
  reply: Type.Object({ appointments: Type.Integer(), followups: Type.Integer() }),
  errors: ['lead_busy'],
});
