import {
  acceptMessage,
  accountsOperations,
  appendEvents,
  assistantOperations,
  changeContactPhone,
  changeMessagingSettings,
  changeSchedulingSettings,
  checkLead,
  checkSeller,
  checkTemplate,
  createAgent,
  createAppointment,
  createFollowup,
  createService,
  createWebhookEndpoint,
  createWebhookReplay,
  crmOperations,
  deleteService,
  embedTexts,
  ensureLead,
  eventStream,
  eventsOperations,
  findBookedSellers,
  findKnownPhones,
  findLeadByPhone,
  finishMerge,
  followLead,
  getAgent,
  getApiKey,
  getAppointment,
  getAvailability,
  getBookingRules,
  getCalendarConnection,
  getChannelConnection,
  getLead,
  getLeadContact,
  getMessage,
  getMessagingSettings,
  getOptOut,
  getSchedulingSettings,
  getService,
  getStoreSettings,
  getWebhookEndpoint,
  getWebhookReplay,
  holdForDecision,
  importDocument,
  isFirstContact,
  listAppointments,
  listEndpointsOfPerson,
  listEvents,
  listLeadContacts,
  listMessages,
  listSellers,
  listStoreServices,
  listWebhookEndpoints,
  mergeLeadScheduling,
  messagingOperations,
  moveLeadPhone,
  nameLeads,
  type Operation,
  pauseEndpointsOfPerson,
  putBookingRules,
  raiseInteractionCounts,
  recordKeyUses,
  releaseHold,
  releaseLeadPhone,
  replanFollowups,
  reportConversation,
  reportLead,
  reportLeadScheduling,
  rollCallSubject,
  rollupOperations,
  rotateWebhookSecret,
  saveAiPauses,
  saveOptOuts,
  schedulingOperations,
  searchKnowledge,
  searchLeads,
  selectAgent,
  setKnowledgeEmbedder,
  showKnowledgeIndex,
  summarizeConversations,
  summarizeLeads,
  summarizeScheduling,
  updateAgent,
  updateAppointment,
  updateLead,
  updateSeller,
  updateService,
} from '../../packages/contracts/src/index.ts';
import type { NatsUser } from '../../packages/platform/src/servers.ts';

/** What a user may publish and subscribe, in the syntax of nats-server: a subject, or `subject queue`. */
export type Permissions = {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** Whether it may answer each request that it received, once. */
  readonly answers: boolean;
};

type Audience = 'api' | 'platform' | 'step' | 'admin';

type Role = {
  /** It serves operations, in the queue group of its name. */
  readonly serves?: true;
  /** Its processes notify each other on `<name>.notice.`. */
  readonly notices?: true;
  /** The services whose notices it receives, beside its own. */
  readonly hears?: readonly NatsUser[];
  /** It calls the operations of these audiences in every service. */
  readonly audiences?: readonly Audience[];
  /** The other operations that it calls. */
  readonly asks?: readonly Operation[];
  /** Its relay publishes the events with its name, and appends to the feeds of the stores. */
  readonly publishesEvents?: true;
  /** It may manage the event stream, and ask which processes run, for an operator. */
  readonly operates?: true;
  /** The durable consumer of the event stream that it creates and reads. */
  readonly consumer?: string;
};

/**
 * Which process calls which operations. The NATS permissions derive from this table, and a test compares it with the
 * calls in the processes' code.
 */
export const roles: Record<NatsUser, Role> = {
  gateway: {
    hears: ['accounts', 'events'],
    // What people do needs the token of their session, which accounts checks.
    audiences: ['api', 'platform'],
    // It cannot create or change a key: that takes the command.
    asks: [
      ...[checkLead, findKnownPhones, getApiKey, getCalendarConnection, getChannelConnection, recordKeyUses],
      ...[summarizeLeads, summarizeConversations, summarizeScheduling],
      ...[reportLead, reportConversation, reportLeadScheduling],
    ],
  },
  accounts: {
    serves: true,
    notices: true,
    asks: [
      ...[checkSeller, replanFollowups],
      // When a person leaves a store.
      ...[listEndpointsOfPerson, pauseEndpointsOfPerson],
      // What a store sets for itself.
      ...[getMessagingSettings, changeMessagingSettings, getSchedulingSettings, changeSchedulingSettings],
    ],
  },
  crm: {
    serves: true,
    asks: [
      ...[changeContactPhone, followLead, getBookingRules, getMessagingSettings, getStoreSettings],
      isFirstContact,
      // For the vectors of passages and questions.
      embedTexts,
    ],
    publishesEvents: true,
  },
  scheduling: {
    serves: true,
    // It watches the task queues of all services, so that a dead worker is one line of one log.
    hears: ['workflows'],
    asks: [
      ...[acceptMessage, checkLead, checkTemplate, findBookedSellers, getMessage, getOptOut, getStoreSettings],
      ...[listLeadContacts, listMessages],
    ],
    publishesEvents: true,
    consumer: 'scheduling-followups',
  },
  messaging: {
    serves: true,
    notices: true,
    asks: [
      ...[ensureLead, findLeadByPhone, getLeadContact, listLeadContacts, raiseInteractionCounts, searchLeads],
      ...[saveAiPauses, saveOptOuts],
      // When the channel says that a customer has another number.
      ...[moveLeadPhone, releaseLeadPhone, mergeLeadScheduling, finishMerge],
      // When the store's own telephone names a contact.
      nameLeads,
    ],
    publishesEvents: true,
    consumer: 'messaging-leads',
  },
  events: { serves: true, notices: true },
  assistant: {
    serves: true,
    // Its turns read what a lead wrote and what the store knows.
    asks: [
      ...[acceptMessage, getAgent, getLead, getMessage, getOptOut, getStoreSettings, listMessages, searchKnowledge],
      ...[selectAgent, setKnowledgeEmbedder, showKnowledgeIndex],
      // The tools of the AI.
      ...[getAppointment, getAvailability, getBookingRules, getService, listAppointments, listStoreServices],
      ...[holdForDecision, releaseHold],
      ...[createAppointment, createFollowup, updateAppointment, updateLead],
    ],
    publishesEvents: true,
    consumer: 'assistant-turns',
  },
  workflows: { audiences: ['step'], notices: true },
  admin: {
    audiences: ['admin'],
    asks: [
      ...[createWebhookEndpoint, createWebhookReplay, getWebhookEndpoint, getWebhookReplay],
      ...[listEvents, listWebhookEndpoints, rotateWebhookSecret],
      ...[createAgent, importDocument, updateAgent],
      ...[getBookingRules, putBookingRules, listSellers, updateSeller],
      ...[createService, deleteService, getService, listStoreServices, updateService],
      // `report rebuild` closes quarter-hours itself and does not wait for the schedule.
      ...Object.values(rollupOperations).map(({ close }) => close),
    ],
    operates: true,
  },
};

const services: Record<string, Record<string, Operation>> = {
  accounts: accountsOperations,
  crm: crmOperations,
  scheduling: schedulingOperations,
  messaging: messagingOperations,
  events: eventsOperations,
  assistant: assistantOperations,
};

/** The permissions of a user, derived from its role. */
export function permissionsOf(user: NatsUser): Permissions {
  const { serves = false, notices = false, hears = [], audiences = [], asks = [] } = roles[user];
  const { publishesEvents, operates, consumer } = roles[user];
  const stream = eventStream.name;
  return {
    publish: [
      ...audiences.flatMap((audience) => servicesWith(audience).map((service) => `${service}.${audience}.>`)),
      ...asks.map(({ subject }) => subject),
      ...(notices ? [`${user}.notice.>`] : []),
      ...(publishesEvents ? [`events.${user}.>`, appendEvents.subject] : []),
      // To check JetStream and the stream, and to create or update the stream.
      ...(publishesEvents || consumer
        ? ['INFO', ...['INFO', 'CREATE', 'UPDATE'].map((verb) => `STREAM.${verb}.${stream}`)].map(jetStream)
        : []),
      ...(consumer
        ? [
            ...['DURABLE.CREATE', 'INFO', 'MSG.NEXT'].map((verb) =>
              jetStream(`CONSUMER.${verb}.${stream}.${consumer}`),
            ),
            `$JS.ACK.${stream}.${consumer}.>`,
          ]
        : []),
      ...(operates ? ['$JS.API.>', '$JS.ACK.>', rollCallSubject] : []),
      ownPermissions,
    ],
    subscribe: [
      ...(serves ? [`${user}.> ${user}`] : []),
      ...[...(notices ? [user] : []), ...hears].map((service) => `${service}.notice.>`),
      ...(operates ? [] : [rollCallSubject]),
      `_INBOX_${user}.>`,
    ],
    answers: !operates,
  };
}

/** The server's answer has the permissions of the user who asks. So `platform check` finds a server with an older file. */
export const ownPermissions = '$SYS.REQ.USER.INFO';

const jetStream = (call: string): string => `$JS.API.${call}`;

const operationsFor = (audience: Audience): Operation[] =>
  Object.values(services)
    .flatMap((operations) => Object.values(operations))
    .filter(({ subject }) => subject.split('.')[1] === audience);

const serviceOf = (subject: string): string => subject.split('.')[0] ?? '';

const servicesWith = (audience: Audience): string[] => [
  ...new Set(operationsFor(audience).map(({ subject }) => serviceOf(subject))),
];
