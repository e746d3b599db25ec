import { randomBytes, randomUUID } from 'node:crypto';
import {
  type ChannelConnection,
  deliveryShardId,
  deliveryShardOf,
  ensureLead,
  findLeadByPhone,
  finishMerge,
  getLeadContact,
  type LeadMerge,
  listLeadContacts,
  mergeLeadScheduling,
  messagingOperations,
  moveLeadPhone,
  nameLeads,
  type ReplyOf,
  type RequestOf,
  raiseInteractionCounts,
  releaseLeadPhone,
  saveAiPauses,
  saveOptOuts,
  searchLeads,
  sendMessage,
} from '@mostrador/contracts';
import { createVault } from '@mostrador/kit/clients/secrets';
import { isSamePhone } from '@mostrador/kit/phones/canonical-phone';
import { createProviderCircuit, type ProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import { AppError } from '@mostrador/kit/rpc/errors';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { localEgress, silentLog, testContext } from '@mostrador/testing/context';
import { startTestService, type TestService } from '@mostrador/testing/service';
import { createListTotals } from '@mostrador/totals';
import { channelCircuit } from '../src/channels/channel-circuit.ts';
import type { ChannelAdapter } from '../src/channels/channel-provider.ts';
import { createOpenChannel, type OpenStoreChannel } from '../src/channels/providers.ts';
import { createDeliveryNotices } from '../src/delivery/delivery-notices.ts';
import { type DeliveryLimits, deliveryLimits } from '../src/delivery/limits.ts';
import { createPump } from '../src/delivery/pump.ts';
import { type Dependencies, messagingLists, type Telephone } from '../src/dependencies.ts';
import { createHandlers } from '../src/handlers.ts';
import { createInboundJobs } from '../src/inbound/inbound-jobs.ts';
import type { InboundProcessor } from '../src/inbound/inbound-processor.ts';
import { createOutcomeWaiters } from '../src/messages/outcome-waiters.ts';
import type { RateCard } from '../src/prices/rate-card.ts';

export type TestMessaging = TestService & {
  readonly dependencies: Dependencies;
  /** Not started. Until the test starts it, stored payloads stay unprocessed. */
  readonly inbound: InboundProcessor;
  /** The stand-in for crm. */
  readonly crm: TestCrm;
  /** Inserts the row of a channel without credentials, so nothing can be sent over it. Returns its id. */
  addChannel(storeId: string, provider?: NonNullable<ChannelConnection['provider']>): Promise<string>;
  /** Sends a message through the API operation. `timeoutMs` is the time until the request's deadline. */
  send(
    storeId: string,
    leadId: string,
    message?: string,
    timeoutMs?: number,
  ): Promise<{ sent: boolean; id: string; status: string }>;
  /**
   * Lets the store's requests wait longer for an outcome than a test runs. A request needs the deadline
   * `longMs` for it.
   */
  waitLong(storeId: string): Promise<void>;
  /** The wake-ups in the outbox, in order. */
  wakeUps(storeId: string): Promise<{ entity_id: string; lead_id: string | null; signal: string }[]>;
  /** The events in the outbox, in order. */
  events(storeId: string): Promise<{ topic: string; data: Record<string, unknown> }[]>;
};

type TestLead = Required<ReplyOf<typeof getLeadContact>>;

/** As crm got it. */
type AiPause = RequestOf<typeof saveAiPauses>['body']['pauses'][number];
export type TestCrm = {
  /** Adds a lead with the given phone, or with a new one. Returns its id. */
  addLead(
    storeId: string,
    customerPhone?: string | null,
    name?: string,
    own?: { readonly channel_user_id?: string; readonly username?: string | null },
  ): string;
  /** Merges a lead into another one, as crm does. */
  merge(storeId: string, leadId: string, keptId: string): void;
  /** Gives a lead another phone, and returns the lead's new version. */
  changePhone(storeId: string, leadId: string, customerPhone: string): number;
  /** Changes other members of a lead, and returns its new version. */
  change(storeId: string, leadId: string, members: Partial<TestLead>): number;
  /** The last opt-out that it received, by lead. */
  readonly aiPauses: ReadonlyMap<string, Omit<AiPause, 'lead_id'>>;
  readonly optOuts: ReadonlyMap<string, { readonly opted_out_at: string | null; readonly version: number }>;
  /** The names of the address book that it received, by call. */
  readonly contactNames: readonly {
    readonly storeId: string;
    readonly contacts: RequestOf<typeof nameLeads>['body']['contacts'];
  }[];
  /** The interaction counts that it received, by lead. */
  readonly interactionCounts: Map<string, number>;
  /** The phone of a lead. Undefined: it is not there, or was merged. */
  phoneOf(storeId: string, leadId: string): string | null | undefined;
  /** The lead as crm has it. */
  leadOf(storeId: string, leadId: string): TestLead | undefined;
  /** The merges that scheduling was told. */
  readonly mergedInScheduling: readonly LeadMerge[];
  /** What happens, once, while scheduling is told of the next merge. */
  duringMerge(work: () => Promise<void>): void;
  /** The leads that are marked as a new start, with the one who had the number before. */
  readonly newStarts: ReadonlyMap<string, string>;
  /** Whether a merge is recorded as finished. */
  isFinished(leadId: string): boolean;
  stop(): Promise<void>;
  start(): Promise<void>;
};

/** Longer than a test may take: what waits this long fails its test by the test's time limit. */
export const longMs = 300_000;

/** The entity of the wake-ups of a store's messages. */
export const shardIdOf = (storeId: string): string => deliveryShardId(deliveryShardOf(storeId));

export const publicUrl = 'http://127.0.0.1:8080';

export type MessagingOptions = {
  readonly mostWaiting?: number;
  /** Only how it sends. A check of the channel passes. */
  readonly openChannel?: (...of: Parameters<OpenStoreChannel>) => Pick<ChannelAdapter, 'send'>;
  readonly circuit?: ProviderCircuit;
  readonly limits?: Partial<DeliveryLimits>;
  readonly telephone?: Partial<Telephone>;
  readonly rateCard?: RateCard;
};

/** Starts the service with its real handlers on real servers. Only crm is a stand-in. */
export async function startMessaging(options: MessagingOptions = {}): Promise<TestMessaging> {
  let dependencies: Dependencies | undefined;
  let inbound: InboundProcessor | undefined;
  const service = await startTestService({
    name: 'messaging',
    operations: messagingOperations,
    build: ({ database, systemDatabase, rpc, relay, nats, log }) => {
      const outcomes = createOutcomeWaiters({ nats, log, most: options.mostWaiting ?? 1000 });
      const vault = createVault(`test:${randomBytes(32).toString('base64')}`);
      const openChannel: OpenStoreChannel = options.openChannel
        ? (...of) => ({ check: () => Promise.resolve(), ...options.openChannel?.(...of) }) as ChannelAdapter
        : createOpenChannel({ database, vault, egress: localEgress() });
      const circuit = options.circuit ?? createProviderCircuit(channelCircuit, { systemDatabase, log });
      const { rateCard } = options;
      const limits = { ...deliveryLimits, ...options.limits };
      const notices = createDeliveryNotices({ nats, log });
      const sending = { database, systemDatabase, rpc, outcomes, relay, circuit, openChannel, limits };
      const pump = createPump({ ...sending, notices, log });
      ({ inbound } = createInboundJobs({ database, systemDatabase, rpc, relay, outcomes, rateCard, log }));
      dependencies = {
        database,
        systemDatabase,
        rpc,
        relay,
        listTotals: createListTotals({ lists: messagingLists, database, systemDatabase, log }),
        outcomes,
        inbound,
        vault,
        openChannel,
        egress: localEgress(),
        circuit,
        limits,
        notices,
        pump,
        publicUrl,
        telephone: { writesAs: 'any', days: 30, ...options.telephone },
        rateCard,
      };
      return { handlers: createHandlers(dependencies) };
    },
  });
  const { adminSql } = service;
  return {
    ...service,
    dependencies: dependencies as Dependencies,
    inbound: inbound as InboundProcessor,
    crm: await startCrm(service),
    async addChannel(storeId, provider = 'sandbox') {
      const [row] =
        await adminSql`insert into channels (store_id, provider) values (${storeId}, ${provider}) returning id`;
      return row?.id;
    },
    send: (storeId, leadId, message = 'Hello', timeoutMs) =>
      service.rpc.call(sendMessage, { params: { leadId }, body: { message } }, testContext({ storeId, timeoutMs })),
    async waitLong(storeId) {
      await adminSql`
        alter table store_settings drop constraint if exists store_settings_message_wait_seconds_check`;
      await adminSql`
        insert into store_settings (store_id, message_wait_seconds) values (${storeId}, ${longMs / 1000})
        on conflict (store_id) do update set message_wait_seconds = excluded.message_wait_seconds`;
    },
    wakeUps: async (storeId) =>
      await adminSql`
        select entity_id, lead_id, signal from outbox where store_id = ${storeId} and kind = 'workflow' order by id`,
    events: async (storeId) =>
      await adminSql`select topic, data from outbox where store_id = ${storeId} and kind = 'event' order by id`,
    async stop() {
      await Promise.all([inbound?.stop(), dependencies?.pump.stop()]);
      await service.stop();
    },
  };
}

async function startCrm({ nats: { nats } }: TestService): Promise<TestCrm> {
  const leads = new Map<string, TestLead>();
  const merged = new Map<string, string>();
  const finished = new Set<string>();
  const interactionCounts = new Map<string, number>();
  const contactNames: { storeId: string; contacts: RequestOf<typeof nameLeads>['body']['contacts'] }[] = [];
  const aiPauses = new Map<string, Omit<AiPause, 'lead_id'>>();
  const optOuts = new Map<string, { opted_out_at: string | null; version: number }>();
  const byPhone = (storeId: string, phone: string) =>
    [...leads].find(([key, lead]) => key.startsWith(storeId) && isPhoneOf(lead, phone))?.[1].id;
  const byUserId = (storeId: string, userId: string) =>
    [...leads].find(([key, lead]) => key.startsWith(storeId) && lead.channel_user_id === userId)?.[1].id;
  const isPhoneOf = ({ customer_phone }: TestLead, phone: string) =>
    customer_phone !== null && isSamePhone(customer_phone, phone);
  let phones = 5511900000000;
  const change = (storeId: string, leadId: string, members: Partial<TestLead>): number => {
    const lead = leads.get(`${storeId} ${leadId}`);
    if (!lead) throw new Error('no such lead');
    const version = lead.version + 1;
    leads.set(`${storeId} ${leadId}`, { ...lead, ...members, version });
    return version;
  };
  const addLead = (
    storeId: string,
    customer_phone: string | null = String(++phones),
    name = 'Maria',
    own: { readonly channel_user_id?: string; readonly username?: string | null | undefined } = {},
  ) => {
    const id = randomUUID();
    const unchanged = {
      channel_user_id: own.channel_user_id ?? null,
      username: own.username ?? null,
      version: 1,
      status: 'pending',
      seller_id: null,
      ai_paused_until: null,
      ai_paused_by: null,
      ai_pause_version: 0,
    } as const;
    leads.set(`${storeId} ${id}`, { id, customer_phone, name, ...unchanged });
    return id;
  };
  const mergedInScheduling: LeadMerge[] = [];
  const duringMerges: (() => Promise<void>)[] = [];
  const newStarts = new Map<string, string>();
  const serve = async () => {
    const server = createRpcServer({
      nats,
      service: 'crm',
      operations: {
        ...{ getLeadContact, listLeadContacts, searchLeads, ensureLead, raiseInteractionCounts },
        ...{ findLeadByPhone, moveLeadPhone, releaseLeadPhone, nameLeads, finishMerge, saveAiPauses, saveOptOuts },
      },
      handlers: {
        findLeadByPhone: async ({ storeId }, { body }) => ({
          id:
            ('customer_phone' in body
              ? byPhone(storeId, body.customer_phone)
              : byUserId(storeId, body.channel_user_id)) ?? null,
        }),
        nameLeads: async ({ storeId }, { body }) => {
          contactNames.push({ storeId, contacts: body.contacts });
          return { done: true as const };
        },
        moveLeadPhone: async ({ storeId }, { body: { lead_id, from_phone, to_phone, to_user_id } }) => {
          const id = merged.get(`${storeId} ${lead_id}`) ?? lead_id;
          const lead = leads.get(`${storeId} ${id}`);
          if (!lead) throw new AppError('lead_not_found');
          const reply = (outcome: 'moved' | 'kept', keptId: string) => {
            const { version = 1 } = leads.get(`${storeId} ${keptId}`) ?? {};
            const gone = [...merged].filter(([key, into]) => key.startsWith(storeId) && into === keptId);
            const unfinished = gone.map(([key]) => key.split(' ')[1] as string).filter((one) => !finished.has(one));
            return { outcome, lead_id: keptId, version, merged: unfinished };
          };
          const isTold = to_phone === undefined || isPhoneOf(lead, to_phone);
          const isOther = from_phone !== undefined && (from_phone === null || !isPhoneOf(lead, from_phone));
          if (!isTold && lead.customer_phone !== null && isOther) return reply('kept', id);
          const ofUserId = to_user_id === undefined ? undefined : byUserId(storeId, to_user_id);
          const ofPhone = to_phone === undefined ? undefined : byPhone(storeId, to_phone);
          const owner = ofUserId === undefined ? undefined : leads.get(`${storeId} ${ofUserId}`);
          const phoneAfter = to_phone ?? lead.customer_phone;
          const isAnother = owner && owner.customer_phone !== null && phoneAfter !== null && owner.id !== id;
          const releases = isAnother && !isPhoneOf(owner, phoneAfter);
          if (releases) change(storeId, owner.id, { channel_user_id: null });
          const others = [ofPhone, releases ? undefined : ofUserId];
          const other = others.find((one) => one !== undefined && one !== id);
          // Ids here are in no order. The lead that crm has known longer stays.
          const keys = [...leads.keys()];
          const isOlder = !other || keys.indexOf(`${storeId} ${id}`) < keys.indexOf(`${storeId} ${other}`);
          const [keptId, goneId] = isOlder ? [id, other] : [other, id];
          if (goneId) {
            leads.delete(`${storeId} ${goneId}`);
            merged.set(`${storeId} ${goneId}`, keptId);
          }
          const kept = leads.get(`${storeId} ${keptId}`) ?? lead;
          const ids = [lead.channel_user_id, kept.channel_user_id, ofUserId].some(Boolean);
          change(storeId, keptId, {
            customer_phone: to_phone ?? lead.customer_phone,
            channel_user_id: ids ? (to_user_id ?? kept.channel_user_id ?? lead.channel_user_id) : null,
          });
          return reply('moved', keptId);
        },
        releaseLeadPhone: async ({ storeId }, { body: { lead_id, customer_phone, channel_user_id } }) => {
          const lead = leads.get(`${storeId} ${merged.get(`${storeId} ${lead_id}`) ?? lead_id}`);
          if (!lead) throw new AppError('lead_not_found');
          const isTheirs = isPhoneOf(lead, customer_phone);
          const released = { customer_phone: null, channel_user_id };
          return { version: isTheirs ? change(storeId, lead.id, released) : lead.version };
        },
        finishMerge: async (_, { body }) => {
          finished.add(body.lead_id);
          return { done: true };
        },
        getLeadContact: async ({ storeId }, { body }) => {
          const key = `${storeId} ${body.lead_id.toLowerCase()}`;
          const lead = leads.get(key);
          const merged_into = merged.get(key);
          if (!lead) throw new AppError('lead_not_found', merged_into ? { members: { merged_into } } : {});
          return lead;
        },
        listLeadContacts: async ({ storeId }, { body: { lead_ids } }) => ({
          contacts: lead_ids.flatMap((id) => leads.get(`${storeId} ${id}`) ?? []),
        }),
        searchLeads: async ({ storeId }, { body: { q } }) => {
          const found = [...leads].filter(([key, { name }]) => key.startsWith(storeId) && name.includes(q));
          return { lead_ids: found.map(([, { id }]) => id) };
        },
        ensureLead: async ({ storeId }, { body }) => {
          const { name } = body;
          const isByPhone = 'customer_phone' in body;
          const known = isByPhone ? byPhone(storeId, body.customer_phone) : byUserId(storeId, body.channel_user_id);
          if (known) return { id: known, created: false };
          const id = addLead(storeId, isByPhone ? body.customer_phone : null, name, isByPhone ? {} : body);
          if (isByPhone && body.previous_lead_id) newStarts.set(id, body.previous_lead_id);
          return { id, created: true };
        },
        saveAiPauses: async (_, { body: { pauses } }) => {
          for (const { lead_id, ...pause } of pauses) aiPauses.set(lead_id, pause);
          return { done: true };
        },
        saveOptOuts: async (_, { body: { opt_outs } }) => {
          for (const { lead_id, opted_out_at, version } of opt_outs) optOuts.set(lead_id, { opted_out_at, version });
          return { done: true };
        },
        raiseInteractionCounts: async (_, { body: { counts } }) => {
          for (const { lead_id, interaction_count } of counts) {
            interactionCounts.set(lead_id, Math.max(interaction_count, interactionCounts.get(lead_id) ?? 0));
          }
          return { done: true };
        },
      },
      log: silentLog(),
    });
    await nats.flush();
    return server;
  };
  createRpcServer({
    nats,
    service: 'scheduling',
    operations: { mergeLeadScheduling },
    handlers: {
      mergeLeadScheduling: async (_, { body }) => {
        await duringMerges.shift()?.();
        mergedInScheduling.push(body);
        return { appointments: 0, followups: 0 };
      },
    },
    log: silentLog(),
  });
  let server = await serve();
  return {
    addLead,
    merge(storeId, leadId, keptId) {
      leads.delete(`${storeId} ${leadId}`);
      merged.set(`${storeId} ${leadId}`, keptId);
    },
    changePhone: (storeId, leadId, customer_phone) => change(storeId, leadId, { customer_phone }),
    change,
    interactionCounts,
    aiPauses,
    contactNames,
    optOuts,
    leadOf: (storeId, leadId) => leads.get(`${storeId} ${leadId}`),
    phoneOf: (storeId, leadId) => leads.get(`${storeId} ${leadId}`)?.customer_phone,
    mergedInScheduling,
    duringMerge: (work) => void duringMerges.push(work),
    newStarts,
    isFinished: (leadId) => finished.has(leadId),
    stop: () => server.drain(),
    start: async () => {
      server = await serve();
    },
  };
}
