import { randomBytes, randomUUID } from 'node:crypto';
import {
  type Agent,
  type AgentSelection,
  acceptMessage,
  advanceTurn,
  assistantOperations,
  connectModel,
  type EventData,
  getAgent,
  getLead,
  getMessage,
  getOptOut,
  getStoreSettings,
  type Lead,
  listMessages,
  type Message,
  type NextStep,
  type Passage,
  type ReplyOf,
  type RequestOf,
  searchKnowledge,
  selectAgent,
  setKnowledgeEmbedder,
  showKnowledgeIndex,
  toolNames,
  updateAssistantSettings,
  updateLead,
} from '@mostrador/contracts';
import { createEgress } from '@mostrador/kit/clients/egress';
import { createVault } from '@mostrador/kit/clients/secrets';
import { createMetrics } from '@mostrador/kit/process/metrics';
import { AppError } from '@mostrador/kit/rpc/errors';
import { createRpcServer } from '@mostrador/kit/rpc/server';
import { silentLog, testContext } from '@mostrador/testing/context';
import { startTestService, type TestService } from '@mostrador/testing/service';
import { createHandlers } from '../src/handlers.ts';
import { demoModel } from '../src/models/demo-model.ts';
import type { Decision, Model, ModelRequest, OpenModel } from '../src/models/model.ts';
import type { ModelFailure } from '../src/models/model-failure.ts';
import { countEmbedderCalls, countModelCalls } from '../src/models/model-metrics.ts';
import { createModels } from '../src/models/open-model.ts';
import type { PriceList } from '../src/prices/price-list.ts';
import { onTurnEvent } from '../src/turns/on-turn-event.ts';
import { createTurnStarter, type TurnStarter } from '../src/turns/start-due.ts';
import { type BookingWorld, bookingHandlers, bookingOperations, newBookingWorld } from './scheduling.ts';
import { timezone } from './zone.ts';

type Asked = RequestOf<typeof acceptMessage>['body'];

/** What a store's neighbours answer. */
export type World = BookingWorld & {
  lead: Partial<Lead> | undefined;
  agent: Partial<Agent> | null;
  /** Messaging knows the lead no more. */
  isMerged?: boolean;
  passages: readonly Passage[];
  /** What messaging does with a message. By default it queues it. */
  accept: (message: Asked) => Promise<void>;
  /** What messaging knows of a pause and an opt-out, and crm has not learned yet. */
  stops?: Partial<ReplyOf<typeof getOptOut>>;
  /** For what the agent was last chosen. */
  selectedFor?: RequestOf<typeof selectAgent>['body'];
  /** Called before the model answers. */
  thinking: () => Promise<void>;
  /** Answers in place of the demo model. */
  model?: (request: ModelRequest) => Decision;
};

const moment = '2026-01-01T12:00:00.000Z';

/** The agent of every store. A world changes what differs. */
export const agent: Agent = {
  ...{ id: randomUUID(), name: 'Ana', model: 'auto', priority: 1, is_active: true, is_default: true, version: 1 },
  ...{ voice_id: null, audio_response_enabled: false, condition_groups: [], created_at: moment, updated_at: moment },
  ...{ instructions: null, tone: null, language: 'pt-BR', disclosure: true, handover_when: null },
  tools: [...toolNames],
};

/** An agent that no lead gets. */
export const otherAgent: AgentSelection['considered'][number] = {
  ...{ agent_id: randomUUID(), name: 'Rui', priority: 0, is_default: false, outcome: 'no_group_holds' },
  failed_condition: {
    ...{ id: randomUUID(), condition_type: 'tag', operator: '=', value: 'vip', actual: 'debtor', holds: false },
  },
  condition_groups: [],
};

const leadOf = (store_id: string, id: string): Lead => ({
  ...{ id, store_id, name: 'Maria', customer_phone: '5511961234567', status: 'pending', seller_id: null },
  ...{ external_id: null, email: null, tags: [], metadata: {}, interaction_count: 1, ai_paused_until: null },
  ...{ opted_out_at: null, created_at: moment, updated_at: moment },
});

const messageOf = (lead_id: string, id: string, body: string, created_at: string): Message => ({
  ...{ id, lead_id, session_id: randomUUID(), direction: 'inbound', source: 'lead', body, status: 'received' },
  ...{ error: null, reason: null, next_attempt_at: null, provider_message_id: null, metadata: {}, reactions: [] },
  ...{ created_at, updated_at: created_at, sent_at: null, delivered_at: null, read_at: null },
});

export const passage = (title: string, text: string): Passage => ({
  ...{ document: { id: randomUUID(), title }, text, highlight: text, score: 1, ranks: { full_text: 1, vectors: null } },
});

export type TestAssistant = Awaited<ReturnType<typeof startAssistant>>;

/** Starts the service with its real handlers on real servers. Scripts stand in for crm, messaging and accounts. */
export async function startAssistant({
  prices,
  isOff = false,
}: {
  readonly prices?: PriceList;
  readonly isOff?: boolean;
} = {}) {
  const worlds = new Map<string, World & { messages: Message[]; accepted: Asked[]; calls: number }>();
  const worldOf = (storeId: string) => {
    const world = worlds.get(storeId);
    if (!world) throw new AppError('lead_not_found');
    return world;
  };
  /** What crm was told. */
  const embedderIds = new Map<string, string | null>();
  /** That of the last store: the model does not know its store. */
  let current: ReturnType<typeof worldOf> | undefined;
  const demo: Model = {
    async answer(request, options) {
      if (current) current.calls += 1;
      await current?.thinking();
      if (current?.model) return current.model(request);
      return await demoModel.answer(request, options);
    },
    tryOut: demoModel.tryOut,
  };
  /** How a provider that is connected fails. By default none is called then. */
  const trial: { fails?: ModelFailure | undefined } = {};
  const vault = createVault(`k1:${randomBytes(32).toString('base64')}`);
  const metrics = createMetrics('assistant');
  const calls = { onModelCall: countModelCalls(metrics), onEmbedderCall: countEmbedderCalls(metrics) };
  const egress = createEgress({ allowHosts: '127.0.0.1' });
  let parts: Pick<Parameters<typeof createHandlers>[0], 'database' | 'systemDatabase' | 'relay'> | undefined;
  const service: TestService = await startTestService({
    name: 'assistant',
    operations: assistantOperations,
    build: ({ database, systemDatabase, rpc, relay }) => {
      parts = { database, systemDatabase, relay };
      const openReal = createModels({ vault, egress });
      const openModel: OpenModel = (storeId, connection) =>
        connection.provider === 'demo'
          ? demo
          : {
              ...openReal(storeId, connection),
              async tryOut() {
                if (trial.fails) throw trial.fails;
              },
            };
      return {
        handlers: createHandlers({
          ...{ database, systemDatabase, rpc, relay, vault, egress, openModel, prices, isOff, ...calls },
        }),
      };
    },
  });
  const { nats } = service.nats;
  const log = silentLog();
  const servers = [
    createRpcServer({
      ...{
        nats,
        log,
        service: 'crm',
        operations: {
          getAgent,
          getLead,
          selectAgent,
          searchKnowledge,
          setKnowledgeEmbedder,
          showKnowledgeIndex,
          updateLead,
        },
      },
      handlers: {
        getLead: async ({ storeId }, { params }) => {
          const { lead } = worldOf(storeId);
          if (!lead) throw new AppError('lead_not_found');
          return { ...leadOf(storeId, params.leadId), ...lead };
        },
        getAgent: async ({ storeId }, { params }) => {
          const { agent: chosen } = worldOf(storeId);
          const known = { ...agent, ...chosen };
          if (!chosen || known.id !== params.agentId) throw new AppError('agent_not_found');
          return known;
        },
        selectAgent: async ({ storeId }, { body }) => {
          const world = worldOf(storeId);
          world.selectedFor = body;
          const chosen = world.agent;
          return {
            ...{ agent: chosen && { ...agent, ...chosen }, reason: chosen ? 'default' : 'no_agent' },
            condition_group: null,
            considered: [otherAgent] as AgentSelection['considered'],
          };
        },
        updateLead: async ({ storeId }, { params, body }) => {
          const world = worldOf(storeId);
          world.lead = { ...world.lead, ...(body as Partial<Lead>) };
          return { ...leadOf(storeId, params.leadId), ...world.lead };
        },
        searchKnowledge: async ({ storeId }) => ({
          ...{ data: [...worldOf(storeId).passages] as Passage[], vectors: 'not_used' as const },
        }),
        setKnowledgeEmbedder: async ({ storeId }, { body }) => {
          embedderIds.set(storeId, body.embedder_id);
          return { done: true };
        },
        showKnowledgeIndex: async () => ({ index: null }),
      },
    }),
    createRpcServer({
      ...{ nats, log, service: 'messaging', operations: { acceptMessage, getMessage, getOptOut, listMessages } },
      handlers: {
        acceptMessage: async ({ storeId }, { body }) => {
          const world = worldOf(storeId);
          const known = world.accepted.find(({ id }) => id === body.id);
          if (!known) {
            await world.accept(body);
            const after = body.unless_reply_after;
            const newer = world.messages.some(
              ({ direction, created_at }) => direction === 'inbound' && created_at > (after ?? created_at),
            );
            if (newer) throw new AppError('lead_replied');
            world.accepted.push(body);
          }
          return { id: body.id, status: 'queued', error: null };
        },
        getOptOut: async ({ storeId }) => ({ opted_out_at: null, ...worldOf(storeId).stops }),
        getMessage: async ({ storeId }, { params }) => {
          if (worldOf(storeId).isMerged) throw new AppError('lead_not_found');
          const found = worldOf(storeId).messages.find(({ id }) => id === params.messageId);
          if (!found) throw new AppError('message_not_found');
          return found;
        },
        listMessages: async ({ storeId }) => {
          const { messages } = worldOf(storeId);
          return { data: messages.toReversed(), total: messages.length, page: 1, limit: 50 };
        },
      },
    }),
    createRpcServer({
      ...{ nats, log, service: 'scheduling', operations: bookingOperations },
      handlers: bookingHandlers(worldOf),
    }),
    createRpcServer({
      ...{ nats, log, service: 'accounts', operations: { getStoreSettings } },
      handlers: { getStoreSettings: async () => ({ timezone, locale: 'pt-BR' }) },
    }),
  ];
  await nats.flush();
  const { rpc, adminSql } = service;
  const { systemDatabase, ...told } = parts as NonNullable<typeof parts>;
  // As two processes of the service do.
  const starters = [1, 2].map(() => createTurnStarter({ systemDatabase, relay: told.relay, log }));
  const receive = onTurnEvent({ database: told.database, starter: starters[0] as TurnStarter });
  for (const starter of starters) starter.start();

  /** A store with the AI on, and a lead. */
  async function openStore(
    settings: RequestOf<typeof updateAssistantSettings>['body'] = {},
    /** Its providers, each connected after the one before. */
    connections: readonly RequestOf<typeof connectModel>['body'][] = [{ provider: 'demo' }],
  ) {
    const [storeId, leadId] = [randomUUID(), randomUUID()];
    const world: ReturnType<typeof worldOf> = {
      ...{ lead: {}, agent: {}, passages: [], messages: [], accepted: [], calls: 0 },
      ...newBookingWorld(),
      accept: async () => {},
      thinking: async () => {},
    };
    worlds.set(storeId, world);
    current = world;
    const context = () => testContext({ storeId });
    await rpc.call(updateAssistantSettings, { body: { ai: true, ...settings } }, context());
    for (const body of connections) await rpc.call(connectModel, { body }, context());
    // The messages of these tests are up to a quarter of an hour old.
    await adminSql`update store_settings set ai_since = now() - interval '1 hour' where store_id = ${storeId}`;
    const hear = (data: Pick<EventData<'messaging.message.received'>, 'message_id' | 'received_at' | 'on_standby'>) =>
      receive(
        {
          ...{ id: randomUUID(), type: 'messaging.message.received', store_id: storeId, occurred_at: data.received_at },
          data: { ...data, lead_id: leadId, session_id: randomUUID() },
        },
        { deadline: Date.now() + 30_000 },
      );
    return {
      ...{ storeId, leadId, world, hear },
      /** crm says that the lead was merged into this one. */
      merge: (merged_into: string) =>
        receive(
          {
            ...{ id: randomUUID(), type: 'crm.lead.merged', store_id: storeId, occurred_at: moment },
            data: { lead_id: leadId, merged_into },
          },
          { deadline: Date.now() + 30_000 },
        ),
      /** The lead writes `secondsAgo`. `told`: the event comes, too. */
      async write(body: string, { secondsAgo = 0, told = true } = {}) {
        const received_at = new Date(Date.now() - secondsAgo * 1000).toISOString();
        const message_id = randomUUID();
        world.messages.push(messageOf(leadId, message_id, body, received_at));
        if (told) await hear({ message_id, received_at });
        return { message_id, received_at };
      },
      /** The channel took what the AI wrote, a second ago. */
      deliver() {
        const sent_at = new Date(Date.now() - 1000).toISOString();
        for (const { id, message } of world.accepted) {
          if (world.messages.some((known) => known.id === id)) continue;
          const outbound = { direction: 'outbound', source: 'ai', status: 'sent', sent_at } as const;
          world.messages.push({ ...messageOf(leadId, id, message, sent_at), ...outbound });
        }
      },
      /** The lead writes, the AI answers, and the channel takes it. Returns how the turn ended. */
      async say(text: string): Promise<NextStep> {
        await this.write(text);
        const end = await this.drain();
        this.deliver();
        return end;
      },
      /** What the AI has said, the newest last. */
      said: () => world.accepted.map(({ message }) => message),
      step: (): Promise<NextStep> => rpc.call(advanceTurn, { body: { lead_id: leadId } }, context()),
      /** Steps until none is due. */
      async drain(lead_id = leadId): Promise<NextStep> {
        for (;;) {
          const next = await rpc.call(advanceTurn, { body: { lead_id } }, context());
          if (next.done || next.wake_at === null || Date.parse(next.wake_at) > Date.now() + 500) return next;
        }
      },
      turns: () => adminSql`select * from ai_turns where store_id = ${storeId} order by created_at, id`,
      endLease: () =>
        adminSql`
        update ai_turns set lease_until = case when lease_token is not null then now() end, next_attempt_at = now()
        where store_id = ${storeId} and state = 'open'`,
      feed: async () => (await service.feed(storeId)).map(({ type, data }) => ({ type, data })),
      wakeUps: () => adminSql`
        select topic, entity_id, signal from outbox where store_id = ${storeId} and kind = 'workflow' order by id`,
    };
  }

  return {
    ...service,
    metrics,
    systemDatabase,
    database: told.database,
    openStore,
    embedderIds,
    trial,
    async stop() {
      await Promise.all([...servers.map((server) => server.drain()), ...starters.map((starter) => starter.stop())]);
      await service.stop();
    },
  };
}
