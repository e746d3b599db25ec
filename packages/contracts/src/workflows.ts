// The contract between services and the worker about workflows. Constants and types only: the workflow sandbox bundles
// this file.

/** Input of every entity workflow: its store and its row. Only ids, no personal data. */
export type EntityWorkflowInput = { readonly storeId: string; readonly entityId: string };

/** An entity workflow: its type, task queue, id and signals. Every signal means *run the step again*. */
export type EntityWorkflowDefinition = {
  readonly name: string;
  readonly taskQueue: string;
  readonly workflowId: (entityId: string) => string;
  readonly signals: readonly string[];
  /** The workflow belongs to rows of several stores, so it has no `StoreId`. */
  readonly spansStores?: true;
};

/** Syncs an appointment, and every later change of it, to the connected calendar. */
export const appointmentWorkflow = {
  name: 'appointment',
  taskQueue: 'calendar',
  workflowId: (appointmentId: string) => `appointment:${appointmentId}`,
  /** `created` starts it; `changed` and `cancelled` come from the API; `calendar_…`, `retried` and `given_up` from a person. */
  signals: [
    'created',
    'changed',
    'cancelled',
    'calendar_connected',
    'calendar_disconnected',
    'retried',
    'given_up',
    'overdue',
  ],
} as const satisfies EntityWorkflowDefinition;

/**
 * Sends a lead's outbound messages in the order of acceptance. Its entity is the lead. Only version 0.2.0 starts it: since
 * then a lead's messages go through the workflow of its store's shard.
 */
export const deliveryWorkflow = {
  name: 'delivery',
  taskQueue: 'delivery',
  workflowId: (leadId: string) => `delivery:${leadId}`,
  /** `message_accepted` starts it; the others say that its wait may be over. */
  signals: ['message_accepted', 'message_settled', 'channel_connected', 'retried', 'overdue'],
} as const satisfies EntityWorkflowDefinition;

/** The number of shards that the delivery of messages has. It never changes: an index of messaging contains it. */
export const deliveryShards = 32;

/** The delivery shard of a store: the last byte of its id, modulo the number of shards. */
export const deliveryShardOf = (storeId: string): number => Number.parseInt(storeId.slice(-2), 16) % deliveryShards;

/** A shard as the id of an entity. */
export const deliveryShardId = (shard: number): string =>
  `00000000-0000-0000-0000-${shard.toString().padStart(12, '0')}`;

/** The shard that `deliveryShardId` made an id of. */
export const deliveryShardOfId = (shardId: string): number => Number(shardId.slice(-12));

/**
 * Sends the outbound messages of a share of the stores, those of a lead in the order of acceptance. Its step stays open
 * while there is work, and a message that is accepted meanwhile needs no signal: docs/adr/0034. Its entity is the shard.
 */
export const deliveryShardWorkflow = {
  name: 'deliveryShard',
  taskQueue: 'delivery',
  workflowId: (shardId: string) => `delivery:shard-${deliveryShardOfId(shardId).toString().padStart(2, '0')}`,
  /** `message_accepted` starts it; the others say that a wait may be over. */
  signals: ['message_accepted', 'message_settled', 'channel_connected', 'retried', 'overdue'],
  spansStores: true,
} as const satisfies EntityWorkflowDefinition;

/** Waits until a follow-up is due, then sends it unless it was cancelled. Its entity is the follow-up. */
export const followupWorkflow = {
  name: 'followup',
  taskQueue: 'followup',
  workflowId: (followupId: string) => `followup:${followupId}`,
  /** `scheduled` starts it; `cancelled` ends it; the others say that its wait may be over. */
  signals: ['scheduled', 'cancelled', 'rescheduled', 'message_settled', 'retried', 'overdue'],
} as const satisfies EntityWorkflowDefinition;

/**
 * Sends the events of a webhook endpoint at which an attempt failed, until nothing that failed is left. Its entity is the
 * endpoint.
 */
export const webhookWorkflow = {
  name: 'webhook',
  taskQueue: 'webhooks',
  workflowId: (endpointId: string) => `webhook:${endpointId}`,
  /** `degraded` starts it; `planned` and `resumed` say that something is due. */
  signals: ['degraded', 'planned', 'resumed', 'overdue'],
} as const satisfies EntityWorkflowDefinition;

/**
 * Reads the changes of a connected calendar, for as long as it is connected. Its entity is the connection.
 */
export const calendarWatchWorkflow = {
  name: 'calendarWatch',
  taskQueue: 'calendar',
  workflowId: (connectionId: string) => `calendar-watch:${connectionId}`,
  /** `connected` starts it; `disconnected` ends it; the others say that its wait may be over. */
  signals: ['connected', 'disconnected', 'used', 'changed', 'overdue'],
} as const satisfies EntityWorkflowDefinition;

/**
 * Answers what a lead wrote, one turn after the other, until no turn of the lead is open. Its entity is the lead.
 */
export const replyWorkflow = {
  name: 'reply',
  taskQueue: 'assistant',
  workflowId: (leadId: string) => `reply:${leadId}`,
  /** `received` starts it. */
  signals: ['received', 'overdue'],
} as const satisfies EntityWorkflowDefinition;

export const entityWorkflows = {
  appointment: appointmentWorkflow,
  calendarWatch: calendarWatchWorkflow,
  delivery: deliveryWorkflow,
  deliveryShard: deliveryShardWorkflow,
  followup: followupWorkflow,
  reply: replyWorkflow,
  webhook: webhookWorkflow,
} as const;
export type EntityWorkflowName = keyof typeof entityWorkflows;
export type SignalOf<Name extends EntityWorkflowName> = (typeof entityWorkflows)[Name]['signals'][number];

/**
 * The timeouts of a step, in milliseconds. They nest: the call to a provider ends before the worker's request, the
 * request before the lease of the row, and the lease before the activity.
 */
export const stepLimits = { callMs: 10_000, requestMs: 12_000, leaseMs: 15_000, activityMs: 20_000 } as const;

/**
 * The same for a step of delivery. It sends the messages of a lead one after the other, and begins no call after the
 * first 5 s. The request may outlast a lease, because each message has a lease of its own.
 */
export const deliveryStepLimits = { ...stepLimits, requestMs: 16_000 } as const;

/**
 * The timeouts of the step of a delivery shard, in milliseconds. It asks messaging again and again, for `pollMs` each time,
 * so a messaging process that dies costs one `requestMs`. It ends after `longestMs`, so that another version of the worker
 * can go on. Temporal takes its worker for dead after `heartbeatMs` without a heartbeat, of which four fit in.
 */
export const deliveryPumpLimits = {
  pollMs: 4_000,
  requestMs: 6_000,
  longestMs: 30_000,
  heartbeatMs: 6_000,
  activityMs: 60_000,
} as const;

/** The same for a step of a webhook endpoint. Its receiver may take 15 s, as the documentation promises. */
export const webhookStepLimits = { callMs: 15_000, requestMs: 18_000, leaseMs: 20_000, activityMs: 25_000 } as const;

/** The same for a step of a reply. A model may take 30 s. */
export const replyStepLimits = { callMs: 30_000, requestMs: 35_000, leaseMs: 40_000, activityMs: 45_000 } as const;

/** The services whose reports have rollups. */
export const reportServices = ['crm', 'messaging', 'scheduling'] as const;
export type ReportService = (typeof reportServices)[number];

/**
 * Closes finished quarter-hours of a service's reports. It carries no row: one Temporal Schedule per service starts it
 * a minute after every quarter of an hour, unless the previous run is still going. Late or missing runs do no harm.
 */
export const reportClosing = {
  name: 'reportClosing',
  taskQueue: 'reports',
  scheduleId: (service: ReportService) => `report-closing:${service}`,
  everyMinutes: 15,
  offsetMinutes: 1,
} as const;

/** Every task queue of the worker. */
export const taskQueues: readonly string[] = [
  ...new Set(Object.values(entityWorkflows).map(({ taskQueue }) => taskQueue)),
  reportClosing.taskQueue,
];

/**
 * A worker says which task queues it polls, on NATS, every 3 s. Temporal would notice a dead worker only after the minute
 * that its last poll may take. A notice may get lost; after 10 s without one, no worker polls the queue.
 */
export const workerNotice = { subject: 'workflows.notice.polling', everyMs: 3_000, deadAfterMs: 10_000 } as const;
export type WorkerNotice = { readonly task_queues: readonly string[] };

/** The Temporal header with the W3C trace context of what woke a workflow, and of what runs a step. */
export const traceHeader = 'traceparent';

/** Custom search attributes, all of type Keyword. */
export const searchAttributes = { storeId: 'StoreId', leadId: 'LeadId', entityId: 'EntityId' } as const;
