import {
  crmOperations,
  eventsOperations,
  gatewayOperations,
  messagingOperations,
  type Operation,
  type Scope,
  schedulingOperations,
  type Tier,
} from '@mostrador/contracts';

/** Every operation that the gateway serves, by its name in the contracts. */
export const publicOperations: Readonly<Record<string, Operation>> = Object.fromEntries(
  Object.entries({
    ...gatewayOperations,
    ...crmOperations,
    ...schedulingOperations,
    ...messagingOperations,
    ...eventsOperations,
  }).filter(([, operation]) => operation.subject.split('.')[1] === 'api'),
);

/** Ids of the first store's rows, which the second store must never reach. */
export type Owned = {
  leadId: string;
  sellerId: string;
  appointmentId: string;
  agentId: string;
  documentId: string;
  /** A message of that lead. */
  messageId: string;
  sessionId: string;
  followupId: string;
  /** An event about that lead. */
  eventId: string;
  /** A webhook endpoint, one of its deliveries and one of its replays. */
  endpointId: string;
  deliveryId: string;
  replayId: string;
  /** The phone of that lead. */
  phone: string;
};

/** A request for an operation, with the ids in `owned` wherever it takes one. */
export type Call = {
  readonly method: string;
  readonly path: (owned: Owned) => string;
  readonly body?: (owned: Owned) => Record<string, unknown>;
  readonly scope: Scope;
  readonly tier?: Tier;
  /** The answer to a key of another store: this error, or an answer without data of the first store. */
  readonly foreign:
    | 'lead_not_found'
    | 'seller_not_found'
    | 'appointment_not_found'
    | 'message_not_found'
    | 'session_not_found'
    | 'followup_not_found'
    | 'webhook_endpoint_not_found'
    | 'webhook_delivery_not_found'
    | 'webhook_replay_not_found'
    | 'empty list'
    | 'own store'
    | 'agent_not_found'
    | 'document_not_found'
    | 'event_not_found'
    | 'nothing found';
};

const phone = () => `5511900${String(Math.floor(Math.random() * 1e6)).padStart(6, '0')}`;

/** One request per operation. An operation without an entry fails the test. */
export const calls: Readonly<Record<string, Call>> = {
  getStore: { method: 'GET', path: () => '/store', scope: 'store:read', foreign: 'own store' },
  createLead: {
    method: 'POST',
    path: () => '/leads',
    body: ({ sellerId }) => ({ name: 'Ana', customer_phone: phone(), seller_id: sellerId }),
    scope: 'leads:write',
    foreign: 'seller_not_found',
  },
  listLeads: {
    method: 'GET',
    path: ({ sellerId }) => `/leads?seller_id=${sellerId}`,
    scope: 'leads:read',
    foreign: 'empty list',
  },
  getLead: { method: 'GET', path: ({ leadId }) => `/leads/${leadId}`, scope: 'leads:read', foreign: 'lead_not_found' },
  updateLead: {
    method: 'PATCH',
    path: ({ leadId }) => `/leads/${leadId}`,
    body: () => ({ name: 'Taken over' }),
    scope: 'leads:write',
    foreign: 'lead_not_found',
  },
  upsertLead: {
    method: 'PUT',
    path: ({ phone }) => `/leads/by-phone/${phone}`,
    body: () => ({ name: 'Taken over' }),
    scope: 'leads:write',
    foreign: 'own store',
  },
  createSeller: {
    method: 'POST',
    path: () => '/sellers',
    body: () => ({ name: 'Rui', whatsapp_id: phone() }),
    scope: 'sellers:write',
    foreign: 'own store',
  },
  listSellers: { method: 'GET', path: () => '/sellers', scope: 'sellers:read', foreign: 'own store' },
  getSeller: {
    method: 'GET',
    path: ({ sellerId }) => `/sellers/${sellerId}`,
    scope: 'sellers:read',
    foreign: 'seller_not_found',
  },
  updateSeller: {
    method: 'PATCH',
    path: ({ sellerId }) => `/sellers/${sellerId}`,
    body: () => ({ name: 'Taken over' }),
    scope: 'sellers:write',
    foreign: 'seller_not_found',
  },
  deleteSeller: {
    method: 'DELETE',
    path: ({ sellerId }) => `/sellers/${sellerId}`,
    scope: 'sellers:write',
    foreign: 'seller_not_found',
  },
  listAgents: { method: 'GET', path: () => '/agents', scope: 'agents:read', foreign: 'empty list' },
  getAgent: {
    method: 'GET',
    path: ({ agentId }) => `/agents/${agentId}`,
    scope: 'agents:read',
    foreign: 'agent_not_found',
  },
  selectAgent: {
    method: 'POST',
    path: () => '/agents/select',
    body: ({ leadId }) => ({ lead_id: leadId }),
    scope: 'agents:read',
    foreign: 'lead_not_found',
  },
  listDocuments: {
    method: 'GET',
    path: () => '/knowledge/documents',
    scope: 'knowledge:read',
    foreign: 'empty list',
  },
  getDocument: {
    method: 'GET',
    path: ({ documentId }) => `/knowledge/documents/${documentId}`,
    scope: 'knowledge:read',
    foreign: 'document_not_found',
  },
  searchKnowledge: {
    method: 'GET',
    path: () => '/knowledge/search?q=recipe',
    scope: 'knowledge:read',
    foreign: 'nothing found',
  },
  createAppointment: {
    method: 'POST',
    path: () => '/appointments',
    body: ({ leadId }) => ({ title: 'Exame', scheduled_at: '2027-01-31T09:00:00Z', lead_id: leadId }),
    scope: 'appointments:write',
    tier: 'starter',
    foreign: 'lead_not_found',
  },
  getAppointment: {
    method: 'GET',
    path: ({ appointmentId }) => `/appointments/${appointmentId}`,
    scope: 'appointments:read',
    foreign: 'appointment_not_found',
  },
  listAppointments: {
    method: 'GET',
    path: ({ leadId }) => `/appointments?lead_id=${leadId}`,
    scope: 'appointments:read',
    foreign: 'empty list',
  },
  updateAppointment: {
    method: 'PATCH',
    path: ({ appointmentId }) => `/appointments/${appointmentId}`,
    body: () => ({ title: 'Taken over' }),
    scope: 'appointments:write',
    foreign: 'appointment_not_found',
  },
  getCalendarSync: {
    method: 'GET',
    path: ({ appointmentId }) => `/appointments/${appointmentId}/calendar-sync`,
    scope: 'appointments:read',
    foreign: 'appointment_not_found',
  },
  createFollowup: {
    method: 'POST',
    path: () => '/followups/scheduled',
    body: ({ leadId }) => ({ lead_id: leadId, message: 'From a stranger', delay_minutes: 1000 }),
    scope: 'followups:write',
    foreign: 'lead_not_found',
  },
  listFollowups: {
    method: 'GET',
    path: ({ leadId }) => `/followups/scheduled?lead_id=${leadId}`,
    scope: 'followups:read',
    foreign: 'empty list',
  },
  getFollowup: {
    method: 'GET',
    path: ({ followupId }) => `/followups/scheduled/${followupId}`,
    scope: 'followups:read',
    foreign: 'followup_not_found',
  },
  updateFollowup: {
    method: 'PATCH',
    path: ({ followupId }) => `/followups/scheduled/${followupId}`,
    body: () => ({ message: 'From a stranger' }),
    scope: 'followups:write',
    foreign: 'followup_not_found',
  },
  cancelFollowup: {
    method: 'DELETE',
    path: ({ followupId }) => `/followups/scheduled/${followupId}`,
    scope: 'followups:write',
    foreign: 'followup_not_found',
  },
  sendMessage: {
    method: 'POST',
    path: ({ leadId }) => `/leads/${leadId}/messages`,
    body: () => ({ message: 'From a stranger' }),
    scope: 'messages:write',
    foreign: 'lead_not_found',
  },
  listMessages: {
    method: 'GET',
    path: ({ leadId }) => `/leads/${leadId}/messages`,
    scope: 'messages:read',
    foreign: 'lead_not_found',
  },
  listStoreMessages: {
    method: 'GET',
    path: ({ leadId }) => `/messages?lead_id=${leadId}`,
    scope: 'messages:read',
    foreign: 'empty list',
  },
  getMessage: {
    method: 'GET',
    path: ({ leadId, messageId }) => `/leads/${leadId}/messages/${messageId}`,
    scope: 'messages:read',
    foreign: 'message_not_found',
  },
  cancelMessage: {
    method: 'DELETE',
    path: ({ leadId, messageId }) => `/leads/${leadId}/messages/${messageId}`,
    scope: 'messages:write',
    foreign: 'message_not_found',
  },
  getConversation: {
    method: 'GET',
    path: ({ leadId }) => `/leads/${leadId}/conversation`,
    scope: 'messages:read',
    foreign: 'lead_not_found',
  },
  listSessions: {
    method: 'GET',
    path: ({ leadId }) => `/leads/${leadId}/sessions`,
    scope: 'messages:read',
    foreign: 'lead_not_found',
  },
  closeSession: {
    method: 'POST',
    path: ({ leadId, sessionId }) => `/leads/${leadId}/sessions/${sessionId}/close`,
    scope: 'messages:write',
    foreign: 'session_not_found',
  },
  getSummaryReport: {
    method: 'GET',
    path: () => '/reports/summary?bucket=day',
    scope: 'reports:read',
    foreign: 'own store',
  },
  getLeadReport: {
    method: 'GET',
    path: ({ leadId }) => `/reports/leads?lead_id=${leadId}`,
    scope: 'reports:read',
    foreign: 'lead_not_found',
  },
  listEvents: {
    method: 'GET',
    path: ({ leadId }) => `/events?entity_id=${leadId}`,
    scope: 'events:read',
    foreign: 'nothing found',
  },
  getEvent: {
    method: 'GET',
    path: ({ eventId }) => `/events/${eventId}`,
    scope: 'events:read',
    foreign: 'event_not_found',
  },
  createWebhookEndpoint: {
    method: 'POST',
    path: () => '/webhooks/endpoints',
    body: () => ({ url: 'https://hooks.example.com/mostrador' }),
    scope: 'webhooks:write',
    foreign: 'own store',
  },
  listWebhookEndpoints: {
    method: 'GET',
    path: () => '/webhooks/endpoints',
    scope: 'webhooks:read',
    foreign: 'own store',
  },
  getWebhookEndpoint: {
    method: 'GET',
    path: ({ endpointId }) => `/webhooks/endpoints/${endpointId}`,
    scope: 'webhooks:read',
    foreign: 'webhook_endpoint_not_found',
  },
  updateWebhookEndpoint: {
    method: 'PATCH',
    path: ({ endpointId }) => `/webhooks/endpoints/${endpointId}`,
    body: () => ({ description: 'Taken over' }),
    scope: 'webhooks:write',
    foreign: 'webhook_endpoint_not_found',
  },
  deleteWebhookEndpoint: {
    method: 'DELETE',
    path: ({ endpointId }) => `/webhooks/endpoints/${endpointId}`,
    scope: 'webhooks:write',
    foreign: 'webhook_endpoint_not_found',
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: ({ endpointId }) => `/webhooks/endpoints/${endpointId}/secret/rotate`,
    body: () => ({}),
    scope: 'webhooks:write',
    foreign: 'webhook_endpoint_not_found',
  },
  testWebhookEndpoint: {
    method: 'POST',
    path: ({ endpointId }) => `/webhooks/endpoints/${endpointId}/test`,
    scope: 'webhooks:write',
    foreign: 'webhook_endpoint_not_found',
  },
  listWebhookDeliveries: {
    method: 'GET',
    path: ({ endpointId }) => `/webhooks/endpoints/${endpointId}/deliveries`,
    scope: 'webhooks:read',
    foreign: 'webhook_endpoint_not_found',
  },
  getWebhookDelivery: {
    method: 'GET',
    path: ({ endpointId, deliveryId }) => `/webhooks/endpoints/${endpointId}/deliveries/${deliveryId}`,
    scope: 'webhooks:read',
    foreign: 'webhook_delivery_not_found',
  },
  retryWebhookDelivery: {
    method: 'POST',
    path: ({ endpointId, deliveryId }) => `/webhooks/endpoints/${endpointId}/deliveries/${deliveryId}/retry`,
    scope: 'webhooks:write',
    foreign: 'webhook_endpoint_not_found',
  },
  createWebhookReplay: {
    method: 'POST',
    path: ({ endpointId }) => `/webhooks/endpoints/${endpointId}/replays`,
    body: () => ({ only: 'all' }),
    scope: 'webhooks:write',
    foreign: 'webhook_endpoint_not_found',
  },
  getWebhookReplay: {
    method: 'GET',
    path: ({ endpointId, replayId }) => `/webhooks/endpoints/${endpointId}/replays/${replayId}`,
    scope: 'webhooks:read',
    foreign: 'webhook_replay_not_found',
  },
  cancelWebhookReplay: {
    method: 'DELETE',
    path: ({ endpointId, replayId }) => `/webhooks/endpoints/${endpointId}/replays/${replayId}`,
    scope: 'webhooks:write',
    foreign: 'webhook_replay_not_found',
  },
};

/** Operations that need no API key. Each has its own test. */
export const keyless: readonly string[] = [
  'readCalendarFeed',
  'verifyWebhook',
  'receiveWebhook',
  'receiveSandboxMessage',
  'readSandboxConversation',
  'reportSandboxReceipts',
  'describeSandbox',
];
