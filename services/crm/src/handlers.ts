import type { crmOperations } from '@mostrador/contracts';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { rollupHandlers } from '@mostrador/rollups/handlers';
import { listTotalHandlers } from '@mostrador/totals/handlers';
import { createAgent } from './agents/create-agent.ts';
import { getAgent } from './agents/get-agent.ts';
import { listAgentVersions } from './agents/list-agent-versions.ts';
import { listAgents, listStoreAgents } from './agents/list-agents.ts';
import { selectAgent } from './agents/select-agent.ts';
import { updateAgent } from './agents/update-agent.ts';
import type { Dependencies } from './dependencies.ts';
import { getDocument } from './knowledge/get-document.ts';
import { importDocument } from './knowledge/import-document.ts';
import { listDocuments } from './knowledge/list-documents.ts';
import { searchKnowledge } from './knowledge/search-knowledge.ts';
import { setKnowledgeEmbedder } from './knowledge-vectors/set-embedder.ts';
import { showKnowledgeIndex } from './knowledge-vectors/show-index.ts';
import { checkLead } from './leads/check-lead.ts';
import { createLead } from './leads/create-lead.ts';
import { ensureLead } from './leads/ensure-lead.ts';
import { findKnownPhones } from './leads/find-known-phones.ts';
import { findLeadByPhone } from './leads/find-lead-by-phone.ts';
import { finishMerge } from './leads/finish-merge.ts';
import { getLead } from './leads/get-lead.ts';
import { getLeadContact } from './leads/get-lead-contact.ts';
import { importLeads } from './leads/import-leads.ts';
import { listDuplicateLeads } from './leads/list-duplicate-leads.ts';
import { listLeadContacts } from './leads/list-lead-contacts.ts';
import { listLeads } from './leads/list-leads.ts';
import { listUnfinishedMerges } from './leads/list-unfinished-merges.ts';
import { mergeLead } from './leads/merge-lead.ts';
import { moveLeadPhone } from './leads/move-lead-phone.ts';
import { nameLeads } from './leads/name-leads.ts';
import { pauseAi } from './leads/pause-ai.ts';
import { raiseInteractionCounts } from './leads/raise-interaction-counts.ts';
import { releaseLeadPhone } from './leads/release-lead-phone.ts';
import { resumeAi } from './leads/resume-ai.ts';
import { saveAiPauses } from './leads/save-ai-pauses.ts';
import { saveOptOuts } from './leads/save-opt-outs.ts';
import { searchLeads } from './leads/search-leads.ts';
import { updateLead } from './leads/update-lead.ts';
import { upsertLead } from './leads/upsert-lead.ts';
import { reportLead } from './reports/report-lead.ts';
import { leadRollups } from './reports/rollups.ts';
import { summarizeLeads } from './reports/summarize-leads.ts';
import { checkSeller } from './sellers/check-seller.ts';
import { createSeller } from './sellers/create-seller.ts';
import { deleteSeller } from './sellers/delete-seller.ts';
import { findBookedSellers } from './sellers/find-booked-sellers.ts';
import { getSeller } from './sellers/get-seller.ts';
import { listSellers } from './sellers/list-sellers.ts';
import { updateSeller } from './sellers/update-seller.ts';

export const createHandlers = (dependencies: Dependencies): Handlers<typeof crmOperations> => {
  const rollups = rollupHandlers(leadRollups, dependencies);
  const totals = listTotalHandlers(dependencies.listTotals);
  return {
    createLead: createLead(dependencies),
    listLeads: listLeads(dependencies),
    getLead: getLead(dependencies),
    updateLead: updateLead(dependencies),
    pauseAi: pauseAi(dependencies),
    resumeAi: resumeAi(dependencies),
    saveAiPauses: saveAiPauses(dependencies),
    upsertLead: upsertLead(dependencies),
    checkLead: checkLead(dependencies),
    getLeadContact: getLeadContact(dependencies),
    listLeadContacts: listLeadContacts(dependencies),
    ensureLead: ensureLead(dependencies),
    findLeadByPhone: findLeadByPhone(dependencies),
    findKnownPhones: findKnownPhones(dependencies),
    moveLeadPhone: moveLeadPhone(dependencies),
    releaseLeadPhone: releaseLeadPhone(dependencies),
    nameLeads: nameLeads(dependencies),
    raiseInteractionCounts: raiseInteractionCounts(dependencies),
    saveOptOuts: saveOptOuts(dependencies),
    searchLeads: searchLeads(dependencies),
    importLeads: importLeads(dependencies),
    listDuplicateLeads: listDuplicateLeads(dependencies),
    mergeLead: mergeLead(dependencies),
    finishMerge: finishMerge(dependencies),
    listUnfinishedMerges: listUnfinishedMerges(dependencies),
    createSeller: createSeller(dependencies),
    listSellers: listSellers(dependencies),
    getSeller: getSeller(dependencies),
    updateSeller: updateSeller(dependencies),
    deleteSeller: deleteSeller(dependencies),
    checkSeller: checkSeller(dependencies),
    findBookedSellers: findBookedSellers(dependencies),
    listAgents: listAgents(dependencies),
    getAgent: getAgent(dependencies),
    listAgentVersions: listAgentVersions(dependencies),
    selectAgent: selectAgent(dependencies),
    createAgent: createAgent(dependencies),
    updateAgent: updateAgent(dependencies),
    listStoreAgents: listStoreAgents(dependencies),
    createStoreAgent: createAgent(dependencies),
    updateStoreAgent: updateAgent(dependencies),
    listDocuments: listDocuments(dependencies),
    getDocument: getDocument(dependencies),
    searchKnowledge: searchKnowledge(dependencies),
    importDocument: importDocument(dependencies),
    importStoreDocument: importDocument(dependencies),
    setKnowledgeEmbedder: setKnowledgeEmbedder(dependencies),
    showKnowledgeIndex: showKnowledgeIndex(dependencies),
    summarizeLeads: summarizeLeads(dependencies),
    reportLead: reportLead(dependencies),
    closeLeadReports: rollups.close,
    verifyLeadReports: rollups.verify,
    resetLeadReports: rollups.reset,
    verifyCrmTotals: totals.verify,
    rebuildCrmTotals: totals.rebuild,
  };
};
