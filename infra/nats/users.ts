import {
  acceptMessage,
  checkLead,
  crmOperations,
  ensureLead,
  eventStream,
  gatewayOperations,
  getCalendarConnection,
  getChannelConnection,
  getLeadContact,
  getStoreSettings,
  messagingOperations,
  type Operation,
  raiseInteractionCounts,
  replanFollowups,
  reportConversation,
  reportLead,
  reportLeadScheduling,
  rollupOperations,
  schedulingOperations,
  summarizeConversations,
  summarizeConversationsV1,
  summarizeLeads,
  summarizeLeadsV1,
  summarizeScheduling,
  summarizeSchedulingV1,
} from '../../packages/contracts/src/index.ts';

/** Every process, and the command, is a user of its own. */
export const natsUsers = ['gateway', 'crm', 'scheduling', 'messaging', 'workflows', 'admin'] as const;
export type NatsUser = (typeof natsUsers)[number];

/** What a user may publish and subscribe, as nats-server has it: a subject, or `subject queue`. */
export type Permissions = {
  readonly publish: readonly string[];
  readonly subscribe: readonly string[];
  /** May answer each request that it received, once. */
  readonly answers: boolean;
};

type Audience = 'api' | 'step' | 'admin';

type Role = {
  /** It serves operations, in the queue group of its name. */
  readonly serves?: true;
  /** Its processes tell one another by `<name>.notice.`. */
  readonly notices?: true;
  /** It asks the operations of this audience of every service. */
  readonly audience?: Audience;
  /** The internal operations that it asks besides. */
  readonly asks?: readonly Operation[];
  /** What the version before asked, and this one does not: until the next one, processes of both log in as this user. */
  readonly askedBefore?: readonly Operation[];
  /** It has an outbox, whose relay publishes the events that bear its name. */
  readonly publishesEvents?: true;
  /** It looks after the event stream: an operator's work. */
  readonly keepsEvents?: true;
  /** The durable consumer of the event stream that it makes and reads. */
  readonly consumer?: string;
};

/**
 * Who calls whom. The one place that says it: what NATS lets each process do is made from this, and a test compares it
 * with what the processes' code calls.
 */
export const roles: Record<NatsUser, Role> = {
  gateway: {
    serves: true,
    notices: true,
    audience: 'api',
    asks: [
      ...[checkLead, getCalendarConnection, getChannelConnection, replanFollowups],
      ...[summarizeLeads, summarizeConversations, summarizeScheduling],
      ...[reportLead, reportConversation, reportLeadScheduling],
    ],
    askedBefore: [summarizeLeadsV1, summarizeConversationsV1, summarizeSchedulingV1],
  },
  crm: { serves: true, publishesEvents: true },
  scheduling: {
    serves: true,
    asks: [acceptMessage, checkLead, getStoreSettings],
    publishesEvents: true,
    consumer: 'scheduling-followups',
  },
  messaging: {
    serves: true,
    notices: true,
    asks: [ensureLead, getLeadContact, raiseInteractionCounts],
    publishesEvents: true,
  },
  workflows: { audience: 'step' },
  admin: {
    audience: 'admin',
    // `report rebuild` does not wait for the schedule.
    asks: Object.values(rollupOperations).map(({ close }) => close),
    keepsEvents: true,
  },
};

const services: Record<string, Record<string, Operation>> = {
  gateway: gatewayOperations,
  crm: crmOperations,
  scheduling: schedulingOperations,
  messaging: messagingOperations,
};

/** The permissions of a user, made from its role. */
export function permissionsOf(user: NatsUser): Permissions {
  const {
    serves = false,
    notices = false,
    audience,
    asks = [],
    askedBefore = [],
    publishesEvents,
    keepsEvents,
    consumer,
  } = roles[user];
  const stream = eventStream.name;
  return {
    publish: [
      ...(audience ? servicesWith(audience).map((service) => `${service}.${audience}.>`) : []),
      ...[...asks, ...askedBefore].map(({ subject }) => subject),
      ...(notices ? [`${user}.notice.>`] : []),
      ...(publishesEvents ? [`events.${user}.>`] : []),
      // To look whether JetStream and the stream are there, and to make the stream or bring it to its settings.
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
      ...(keepsEvents ? ['$JS.API.>', '$JS.ACK.>'] : []),
    ],
    subscribe: [...(serves ? [`${user}.> ${user}`] : []), ...(notices ? [`${user}.notice.>`] : []), `_INBOX_${user}.>`],
    answers: serves,
  };
}

/** Where the configuration finds the password of a user. */
export const passwordVariable = (user: NatsUser): string => `NATS_PASSWORD_${user.toUpperCase()}`;

const jetStream = (call: string): string => `$JS.API.${call}`;

const servicesWith = (audience: Audience): string[] =>
  Object.entries(services)
    .filter(([, operations]) => Object.values(operations).some(({ subject }) => subject.split('.')[1] === audience))
    .map(([service]) => service);
