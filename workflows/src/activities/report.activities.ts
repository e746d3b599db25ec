import {
  closeConversationReports,
  closeLeadReports,
  closeSchedulingReports,
  type ReplyOf,
  type ReportService,
} from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc-client';
import { callStep } from './call-step.ts';

export type ReportActivities = {
  closeReports(service: ReportService): Promise<ReplyOf<typeof closeLeadReports>>;
};

const closings = {
  crm: closeLeadReports,
  messaging: closeConversationReports,
  scheduling: closeSchedulingReports,
} as const satisfies Record<ReportService, unknown>;

export const reportActivities = (rpc: RpcClient): ReportActivities => ({
  closeReports: (service) => callStep(rpc, closings[service], undefined, {}),
});
