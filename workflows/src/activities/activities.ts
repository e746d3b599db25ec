import type { RpcClient } from '@mostrador/kit/rpc/client';
import { type AssistantActivities, assistantActivities } from './assistant.activities.ts';
import { type EventsActivities, eventsActivities } from './events.activities.ts';
import { type MessagingActivities, messagingActivities } from './messaging.activities.ts';
import { type ReportActivities, reportActivities } from './report.activities.ts';
import { type SchedulingActivities, schedulingActivities } from './scheduling.activities.ts';

/** The steps of every workflow. Each worker registers all of them. Its task queue decides which it runs. */
export const activities =
  (
    rpc: RpcClient,
  ): ((
    stopping: AbortSignal,
  ) => SchedulingActivities & MessagingActivities & EventsActivities & AssistantActivities & ReportActivities) =>
  (stopping) => ({
    ...schedulingActivities(rpc),
    ...messagingActivities(rpc, stopping),
    ...eventsActivities(rpc),
    ...assistantActivities(rpc),
    ...reportActivities(rpc),
  });
