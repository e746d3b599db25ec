import type { RollupOperations } from './core/rollups.ts';
import { closeLeadReports, resetLeadReports, verifyLeadReports } from './crm/reports.ts';
import { closeConversationReports, resetConversationReports, verifyConversationReports } from './messaging/reports.ts';
import { closeSchedulingReports, resetSchedulingReports, verifySchedulingReports } from './scheduling/reports.ts';
import type { ReportService } from './workflows.ts';

/** The rollup operations of each service with reports. */
export const rollupOperations = {
  crm: { close: closeLeadReports, verify: verifyLeadReports, reset: resetLeadReports },
  messaging: { close: closeConversationReports, verify: verifyConversationReports, reset: resetConversationReports },
  scheduling: { close: closeSchedulingReports, verify: verifySchedulingReports, reset: resetSchedulingReports },
} as const satisfies Record<ReportService, RollupOperations>;
