import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  type Appointment,
  connectCalendar,
  connectChannel,
  connectModel,
  createAgent,
  createApiKey,
  createStore,
  importDocument,
  type Lead,
  putBookingRules,
  type Seller,
  type Service,
  type Tier,
  updateAssistantSettings,
} from '../../../packages/contracts/src/index.ts';
import type { Log } from '../../../packages/kit/src/process/log.ts';
import { createRpcClient, type RpcClient } from '../../../packages/kit/src/rpc/client.ts';
import { connectNats, type NatsTls } from '../../../packages/kit/src/rpc/nats.ts';
import { admin } from './admin.ts';
import {
  demoAgents,
  demoAppointments,
  demoConversations,
  demoDocuments,
  demoFollowup,
  demoFreeLeads,
  demoLeads,
  demoRules,
  demoSellers,
  demoServices,
  demoStorePhone,
  demoStores,
} from './data.ts';

/** The access to the demo data. The keys are stored nowhere else. */
export type Demo = {
  readonly stores: readonly { id: string; name: string; tier: Tier; api_key: string }[];
  /** The addresses of the first store's feed, and of the page on which anyone can write to it as a customer. */
  readonly feed_url: string | null;
  readonly sandbox_url: string | null;
};

const requestTimeoutMs = 10_000;
const requestsAtOnce = 6;

/**
 * Creates the demo data of a first start: a `free` store, and a `pro` store with sellers, services, leads, agents, knowledge
 * documents, a feed calendar, appointments, a sandbox channel, conversations, a pending follow-up, booking rules, and the
 * AI with the model `demo`. Stores, keys, agents, documents, the calendar, the channel, the rules and the AI come from admin operations, the rest from the public API. Every call
 * creates new stores. All services must be ready: the first error ends the call, without retries.
 */
export async function seedDemo(options: {
  natsUrl: string;
  natsTls?: NatsTls;
  baseUrl: string;
  publicUrl: string;
  log: Log;
}): Promise<Demo> {
  const { natsUrl, natsTls, baseUrl, publicUrl, log } = options;
  const nats = await connectNats({ url: natsUrl, tls: natsTls, name: 'demo', log });
  try {
    const rpc = createRpcClient({ nats, log });
    const [pro, free] = await Promise.all([newStore(rpc, demoStores.pro), newStore(rpc, demoStores.free)]);
    // The calendar comes first, so that the appointments reach it.
    const calendar = await admin(rpc, connectCalendar, { body: { provider: 'feed' } }, pro.id);
    if (!calendar.feed_url) throw new Error('the demo data could not be created: the feed calendar has no address');
    for (const body of demoAgents) await admin(rpc, createAgent, { body: { ...body } }, pro.id);
    for (const body of demoDocuments) await admin(rpc, importDocument, { body: { ...body } }, pro.id);
    const channel = { provider: 'sandbox', phone: demoStorePhone } as const;
    const { sandbox_url } = await admin(rpc, connectChannel, { body: channel }, pro.id);
    if (!sandbox_url) throw new Error('the demo data could not be created: the sandbox has no address');
    const { appointments, leads } = await fillProStore(postTo(baseUrl, pro.api_key));
    await converse(postTo(baseUrl, pro.api_key), postTo(sandbox_url), leads);
    const { lead, ...followup } = demoFollowup;
    await postTo(baseUrl, pro.api_key)('/followups/scheduled', { lead_id: leads[lead]?.id, ...followup });
    await admin(rpc, putBookingRules, { body: demoRules }, pro.id);
    await admin(rpc, connectModel, { body: { provider: 'demo' } }, pro.id);
    // Last, so that the AI leaves those conversations to people. A person who tries it waits for less than a customer would.
    await admin(rpc, updateAssistantSettings, { body: { ai: true, ai_quiet_seconds: 3 } }, pro.id);
    await postAll<Lead>(postTo(baseUrl, free.api_key), '/leads', demoFreeLeads());
    await checkFeed(calendar.feed_url, publicUrl, appointments.length);
    return { stores: [pro, free], feed_url: calendar.feed_url, sandbox_url };
  } finally {
    await nats.close();
  }
}

async function newStore(rpc: RpcClient, store: (typeof demoStores)['pro' | 'free']) {
  const { id, name, tier } = await admin(rpc, createStore, { body: store });
  const { api_key } = await admin(rpc, createApiKey, { body: { store_id: id, name: 'Demo' } });
  return { id, name, tier, api_key };
}

async function fillProStore(post: Post): Promise<{ appointments: Appointment[]; leads: Lead[] }> {
  const sellers = await postAll<Seller>(post, '/sellers', demoSellers);
  const active = sellers.filter((seller) => seller.is_active).map(({ id }) => id);
  const leads = await postAll<Lead>(post, '/leads', demoLeads(active));
  const leadIds = leads.map(({ id }) => id);
  const bodies = demoServices.map(({ service, sellers: places }) => ({
    ...service,
    seller_ids: places.flatMap((place) => sellers[place]?.id ?? []),
  }));
  const services = await postAll<Service>(post, '/services', bodies);
  const ids = { leads: leadIds, sellers: sellers.map(({ id }) => id), services: services.map(({ id }) => id) };
  const appointments = await postAll<Appointment>(post, '/appointments', demoAppointments(ids, new Date()));
  return { appointments, leads };
}

/** Runs the conversations in parallel. In each, a line follows after the previous one has arrived. */
async function converse(postToApi: Post, postToSandbox: Post, leads: readonly Lead[]): Promise<void> {
  await Promise.all(
    demoConversations.map(async ({ lead: place, lines }) => {
      const { id, name, customer_phone } = leads[place] as Lead;
      for (const line of lines) {
        const text = line.slice(1);
        if (line.startsWith('+')) await postToSandbox('/messages', { customer_phone, name, text });
        else await postToApi(`/leads/${id}/messages`, { message: text });
      }
    }),
  );
}

type Post = (path: string, body: object) => Promise<unknown>;

const postTo =
  (baseUrl: string, apiKey?: string): Post =>
  async (path, body) => {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(apiKey === undefined ? {} : { 'x-api-key': apiKey, 'idempotency-key': randomUUID() }),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(requestTimeoutMs),
    });
    const answer = await response.text();
    if (!response.ok) {
      throw new Error(`the demo data could not be created: POST ${path} answered ${response.status}: ${answer}`);
    }
    return JSON.parse(answer);
  };

/** Posts all bodies, 6 at a time, and returns the answers in the same order. */
const postAll = <T>(post: Post, path: string, bodies: readonly object[]): Promise<T[]> =>
  Readable.from(bodies)
    .map((body: object) => post(path, body), { concurrency: requestsAtOnce })
    .toArray();

/** Checks the calendar feed at its announced address, because a new user looks at it first. */
async function checkFeed(feedUrl: string, publicUrl: string, appointments: number): Promise<void> {
  const response = await fetch(feedUrl, { signal: AbortSignal.timeout(requestTimeoutMs) });
  const events = (await response.text()).split('BEGIN:VEVENT').length - 1;
  if (!feedUrl.startsWith(`${publicUrl}/`) || response.status !== 200 || events !== appointments) {
    const found = `HTTP ${response.status} with ${events} of ${appointments} appointments`;
    throw new Error(`the demo data could not be created: the calendar feed below ${publicUrl} answered ${found}`);
  }
}
