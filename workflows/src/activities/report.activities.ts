import { type ReplyOf, type ReportService, rollupOperations } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { callStep } from './call-step.ts';

export type ReportActivities = {
  closeReports(service: ReportService): Promise<ReplyOf<(typeof rollupOperations)[ReportService]['close']>>;
};

export const reportActivities = (rpc: RpcClient): ReportActivities => ({
  closeReports: (service) => callStep(rpc, rollupOperations[service].close, undefined, {}),
});
