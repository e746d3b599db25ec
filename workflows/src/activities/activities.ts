import type { RpcClient } from '@mostrador/kit/rpc/client';
import { type MessagingActivities, messagingActivities } from './messaging.activities.ts';
import { type ReportActivities, reportActivities } from './report.activities.ts';
import { type SchedulingActivities, schedulingActivities } from './scheduling.activities.ts';

/** Every step of every workflow. Each worker has them all; its queue decides which are asked of it. */
export const activities = (rpc: RpcClient): SchedulingActivities & MessagingActivities & ReportActivities => ({
  ...schedulingActivities(rpc),
  ...messagingActivities(rpc),
  ...reportActivities(rpc),
});
