import { setTimeout as pause } from 'node:timers/promises';
import {
  connectCalendar,
  connectChannel,
  connectModel,
  createAgent,
  createApiKey,
  createStore,
  type RequestOf,
  updateAssistantSettings,
  updateMessagingSettings,
} from '@mostrador/contracts';
import type { InsideCall } from '@mostrador/testing/platform/inside-client';
import { inboundPayload } from '@mostrador/testing/providers/whatsapp/webhooks';
import { waitFor } from '@mostrador/testing/wait';
import type { ChaosLead, ChaosStore } from './journal.ts';
import type { Platform } from './platform.ts';
import type { Phone } from './providers.ts';

const leadsAtFirst = 12;
const createdAtOnce = 10;

type Wanted = {
  readonly phone: Phone;
  readonly calendar: 'caldav' | 'feed';
  readonly leads: number;
  /** How long a send waits for its outcome. */
  readonly waitSeconds: number;
  /** Whether the store has a webhook endpoint, which gets every event of its feed. */
  readonly webhooks: boolean;
  /** Whether its appointments take places. Its calendar is one of its own at Radicale. */
  readonly books?: boolean;
  /** Whether its AI answers. */
  readonly answers?: boolean;
};

/**
 * Creates stores with a key, a calendar (Radicale for the first), a WhatsApp channel and leads that have written. With
 * `booking`, the second one has booking rules and a calendar at Radicale. When the platform has a model, the last one's AI
 * answers.
 */
export const createStores = (platform: Platform, { booking }: { booking: boolean }): Promise<ChaosStore[]> =>
  platform.inside((call) =>
    Promise.all(
      platform.phones.map((phone, index) => {
        const books = booking && index === 1;
        const calendar = index === 0 || books ? 'caldav' : 'feed';
        const answers = platform.model !== undefined && index === platform.phones.length - 1;
        const wanted = {
          phone,
          calendar,
          leads: leadsAtFirst,
          waitSeconds: 2,
          webhooks: true,
          books,
          answers,
        } as const;
        return createOne(platform, call, wanted);
      }),
    ),
  );

/** Creates the stores that share one provider. Each has one lead. */
export const createCrowd = (platform: Platform): Promise<ChaosStore[]> =>
  platform.inside(async (call) => {
    const crowd: ChaosStore[] = [];
    const left = [...platform.crowd];
    const work = async () => {
      for (let phone = left.shift(); phone; phone = left.shift())
        crowd.push(
          await createOne(platform, call, { phone, calendar: 'feed', leads: 1, waitSeconds: 0, webhooks: false }),
        );
    };
    await Promise.all(Array.from({ length: createdAtOnce }, work));
    return crowd;
  });

/** Creates one store. Resolves when its leads have written. */
export async function createOne(platform: Platform, call: InsideCall, wanted: Wanted): Promise<ChaosStore> {
  const { phone, calendar } = wanted;
  const { id } = await call(createStore, { body: { name: `Chaos ${phone.number.phone}`, tier: 'enterprise' } });
  const made = await call(createApiKey, { body: { store_id: id, name: 'chaos' } });
  if (wanted.webhooks) await createEndpoint(platform, id, made.api_key);
  const booked = wanted.books ? await bookOnly(platform, made.api_key) : null;
  const { username, password } = platform.radicale;
  const { feed_url } = await call(
    connectCalendar,
    {
      body:
        calendar === 'feed'
          ? { provider: calendar }
          : {
              provider: calendar,
              url: platform.calendarUrlOf(booked?.calendarUrl ?? platform.radicale.collectionUrl),
              username: username as string,
              secrets: { password: password as string },
            },
    },
    id,
  );
  const { phoneNumberId, phone: number } = phone.number;
  const { accessToken, appSecret } = phone.server.settings;
  const { channel_id } = await call(
    connectChannel,
    {
      body: {
        provider: 'whatsapp_cloud',
        phone_number_id: phoneNumberId,
        phone: number,
        api_url: platform.apiUrlOf(phone),
        number_rate: 1000,
        pair_burst: 1000,
        pair_interval_seconds: 0,
        secrets: { access_token: accessToken, app_secret: appSecret, verify_token: 'verify-token' },
      },
    },
    id,
  );
  await call(updateMessagingSettings, { body: { message_wait_seconds: wanted.waitSeconds } }, id);
  phone.webhookUrl = platform.webhookUrl(channel_id);
  const store: ChaosStore = {
    id,
    key: made.api_key,
    calendar,
    feedUrl: feed_url,
    booked,
    answers: wanted.answers ?? false,
    phone,
    leads: [],
    changing: [],
  };
  for (let made = 0; made < wanted.leads; made += 1) store.leads.push(await createOneLead(platform, store));
  const writing = store.leads.map((lead) => ({ from: lead.phone, text: `hello ${id}` }));
  await phone.server.customerWrites(...writing);
  await waitFor(async () => (await phone.post(inboundPayload(phone.number, writing))) === 200, {
    description: 'the first webhook is answered with 200',
  });
  // One after the other: all at once, their questions would keep a slow machine from the work that they wait for.
  for (const lead of store.leads) await untilItHasWritten(platform, store, lead);
  // Only now: what a lead wrote before is left to people.
  if (store.answers && platform.model) await switchOnAi(call, id, platform.model.connection);
  return store;
}

async function switchOnAi(call: InsideCall, storeId: string, connection: RequestOf<typeof connectModel>['body']) {
  await call(connectModel, { body: connection }, storeId);
  // A text of the AI is only what its model says.
  const agent = { name: 'Bia', priority: 1, is_default: true, language: 'pt-BR', disclosure: false } as const;
  await call(createAgent, { body: agent }, storeId);
  // Past the longest wait an answer leaves although the lead has written on.
  const settings = { ai: true, ai_quiet_seconds: 1, ai_max_wait_seconds: 300, ai_daily_calls: 1_000_000 };
  await call(updateAssistantSettings, { body: settings }, storeId);
}

async function createEndpoint({ receiver, baseUrls }: Platform, storeId: string, key: string): Promise<void> {
  const path = `/${storeId}`;
  const { secret } = await post<{ secret: string }>(`${baseUrls()[0]}/webhooks/endpoints`, key, {
    url: receiver.url(path),
  });
  await receiver.trust(path, secret);
}

/** How many appointments without a seller may run at once. */
const capacity = 2;

/** Gives a store booking rules, a seller who can be booked and an empty calendar. */
async function bookOnly({ radicale, baseUrls }: Platform, key: string): Promise<NonNullable<ChaosStore['booked']>> {
  const url = baseUrls()[0];
  await send('PUT', `${url}/booking/rules`, key, { overlap: 'reject', capacity });
  const seller = { name: 'Rui', whatsapp_id: newPhone(), bookable: true };
  const { id } = await post<{ id: string }>(`${url}/sellers`, key, seller);
  return { calendarUrl: await radicale.makeCalendar('bookings'), sellerId: id };
}

let phones = 5_511_900_000_000;
/** A phone number that no lead has yet. */
export const newPhone = (): string => String(++phones);

/** Waits until the lead's message is processed. From then on the store can write to the lead. */
const untilItHasWritten = (platform: Platform, { key }: ChaosStore, { id }: ChaosLead) =>
  waitFor(
    async () => {
      const url = `${platform.baseUrls()[0]}/leads/${id}/messages?limit=1`;
      const answer = await fetch(url, { headers: { 'x-api-key': key } });
      return ((await answer.json()) as { total: number }).total > 0;
    },
    { description: 'the message of a lead is processed', intervalMs: 100 },
  );

async function createOneLead(platform: Platform, store: ChaosStore): Promise<ChaosLead> {
  const customer_phone = newPhone();
  const body = { name: 'Ana first', customer_phone };
  const { id } = await post<{ id: string }>(`${platform.baseUrls()[0]}/leads`, store.key, body);
  return { id, phone: customer_phone };
}

/** Creates something. */
const post = <T>(url: string, key: string, body: object): Promise<T> => send('POST', url, key, body);

/** Repeats a 503 for a minute: it has no effect, and the platform, just started, creates all stores at once. */
async function send<T>(method: 'POST' | 'PUT', url: string, key: string, body: object): Promise<T> {
  const request = {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  for (const begin = Date.now(); ; ) {
    const answer = await fetch(url, request);
    if (answer.ok) return (await answer.json()) as T;
    const text = await answer.text();
    if (answer.status !== 503 || Date.now() - begin > 60_000) throw new Error(`${url}: ${answer.status} ${text}`);
    await pause(Number(answer.headers.get('retry-after')) * 1000);
  }
}
