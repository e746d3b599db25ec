import { rebuildCrmTotals, verifyCrmTotals } from '../list-totals.ts';
import { agentOperations } from './agents.ts';
import { knowledgeOperations } from './knowledge.ts';
import {
  checkLead,
  createLead,
  ensureLead,
  findKnownPhones,
  findLeadByPhone,
  finishMerge,
  getLead,
  getLeadContact,
  importLeads,
  listDuplicateLeads,
  listLeadContacts,
  listLeads,
  listUnfinishedMerges,
  mergeLead,
  moveLeadPhone,
  raiseInteractionCounts,
  searchLeads,
  updateLead,
  upsertLead,
} from './leads.ts';
import { crmReportOperations } from './reports.ts';
import { sellerOperations } from './sellers.ts';

export const crmOperations = {
  createLead,
  listLeads,
  getLead,
  updateLead,
  upsertLead,
  checkLead,
  importLeads,
  listDuplicateLeads,
  mergeLead,
  finishMerge,
  listUnfinishedMerges,
  getLeadContact,
  listLeadContacts,
  ensureLead,
  findLeadByPhone,
  findKnownPhones,
  moveLeadPhone,
  raiseInteractionCounts,
  searchLeads,
  ...sellerOperations,
  ...agentOperations,
  ...knowledgeOperations,
  ...crmReportOperations,
  verifyCrmTotals,
  rebuildCrmTotals,
} as const;
