import {
  defineTotalsRebuild,
  defineTotalsVerification,
  type ListService,
  type ListTotalOperations,
} from './core/list-totals.ts';

export const verifyCrmTotals = defineTotalsVerification('crm');
export const rebuildCrmTotals = defineTotalsRebuild('crm');
export const verifySchedulingTotals = defineTotalsVerification('scheduling');
export const rebuildSchedulingTotals = defineTotalsRebuild('scheduling');
export const verifyMessagingTotals = defineTotalsVerification('messaging');
export const rebuildMessagingTotals = defineTotalsRebuild('messaging');
export const verifyEventsTotals = defineTotalsVerification('events');
export const rebuildEventsTotals = defineTotalsRebuild('events');

/** The list operations of each service with lists. */
export const listTotalOperations = {
  crm: { verify: verifyCrmTotals, rebuild: rebuildCrmTotals },
  scheduling: { verify: verifySchedulingTotals, rebuild: rebuildSchedulingTotals },
  messaging: { verify: verifyMessagingTotals, rebuild: rebuildMessagingTotals },
  events: { verify: verifyEventsTotals, rebuild: rebuildEventsTotals },
} as const satisfies Record<ListService, ListTotalOperations>;
