import { randomUUID } from 'node:crypto';
import { acceptMessage, updateAssistantSettings } from '@mostrador/contracts';
import { mapEach } from '@mostrador/kit/process/each-of';
import { createLog } from '@mostrador/kit/process/log';
import { createRpcClient } from '@mostrador/kit/rpc/client';
import { connectNats } from '@mostrador/kit/rpc/nats';
import { withInsideClient } from '@mostrador/testing/platform/inside-client';
import type { LocalPlatform } from '@mostrador/testing/platform/local-platform';
import { startWebhookReceiver } from '@mostrador/testing/providers/webhook-receiver/server';
import { apiOf, type DemoStore, post, type Seller } from './api.ts';
import { backdate, type Written } from './backdate.ts';
import { conversations, type Line, mainConversation, troubled } from './conversations.ts';
import { writeKinds } from './kinds.ts';
import { momentsOf, planMonth } from './plan.ts';
import { fillRest, untilDelivered } from './rest.ts';

const answerWithinMs = 20_000;
const atOnce = 6;
/** The leads before this one have the conversations of the demo. */
const firstFree = 30;
/** The other leads have no conversation. */
const greatestMonth = 100;

/**
 * Makes a month of work in the demo store, so that the pictures show a store as it is after some time: conversations of
 * every source and kind, appointments, people, keys, webhooks and reports. Returns the leads whose threads are shown.
 */
export async function fillStore(platform: LocalPlatform, store: DemoStore): Promise<ShownLeads> {
  const { dev } = platform;
  const api = apiOf(dev.base_url, store.api_key);
  // The pictures show what is written here, and nothing that the AI would say to it.
  await withInsideClient(platform.natsUrl('admin'), (call) =>
    call(updateAssistantSettings, { body: { ai: false } }, store.id),
  );
  await api('PUT', '/booking/rules', { overlap: 'allow' });
  const log = createLog({ service: 'screenshots', level: 'silent', format: 'json' });
  const nats = await connectNats({ url: platform.natsUrl('scheduling'), name: 'screenshots', log });
  const rpc = createRpcClient({ nats, log });
  const receiver = await startWebhookReceiver();
  try {
    const { data: sellers } = await api<{ data: Seller[] }>('GET', '/sellers?limit=10');

    const write = async (lead: Customer, [source, , text]: Line) => {
      if (source === 'lead') {
        const { name, customer_phone } = lead;
        await post(`${dev.sandbox_url}/messages`, { name, customer_phone, text });
      } else if (source === 'api') {
        await api('POST', `/leads/${lead.id}/messages`, { message: text });
      } else {
        const body = { id: randomUUID(), lead_id: lead.id, source, message: text, wait_ms: 5_000 };
        const context = { requestId: randomUUID(), deadline: Date.now() + answerWithinMs, storeId: store.id };
        await rpc.call(acceptMessage, { body }, context);
      }
    };
    const converse = async (lead: Customer, lines: readonly Line[], lastAt: Date, unread = 0): Promise<Written> => {
      for (const line of lines) await write(lead, line);
      return { leadId: lead.id, moments: momentsOf(lines, lastAt), unread };
    };

    const now = new Date();
    const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000);
    const { data: leads } = await api<{ data: Lead[] }>('GET', '/leads?limit=200&sort=created_at');
    const ofDemo = leads.filter(({ customer_phone }) => customer_phone.startsWith('5511900000'));
    const [written, free] = [ofDemo.slice(0, firstFree), ofDemo.slice(firstFree)];
    const month = planMonth(now, greatestMonth);
    const past = await inTurn(month, ({ lines, lastAt }, index) => converse(free[index] as Lead, lines, lastAt));
    for (const { id, interaction_count } of written.filter((lead) => lead.interaction_count > 0)) {
      const moments = Array.from({ length: interaction_count }, (_, index) => ago(250 + past.length - index * 3));
      past.push({ leadId: id, moments, unread: 0 });
    }

    const inbox = await inTurn(conversations, async (conversation, index) => {
      const { name, lines, minutesAgo, unread, status, seller, tags, email, isPaused } = conversation;
      const customer_phone = `5511988${String(index + 4107).padStart(6, '0')}`;
      const seller_id = sellers.find((each) => each.name === seller)?.id;
      const isMain = conversation === mainConversation;
      const { id } = await api('POST', '/leads', {
        ...{ name, customer_phone, tags, email, status, seller_id },
        ...(isMain && { metadata: { Evento: 'Casamento, 19 de dezembro' } }),
      });
      if (isPaused) await api('PATCH', `/leads/${id}`, { ai_paused_until: ago(-120).toISOString() });
      if (isMain)
        await fillRest({ platform, store, api, receiver }, { main: id, sellers, leads: free.slice(month.length), now });
      return await converse({ id, name, customer_phone }, lines, ago(minutesAgo), unread);
    });
    for (const { name, customer_phone, message } of troubled) {
      const { id } = await api('POST', '/leads', { name, customer_phone });
      await api('POST', `/leads/${id}/messages`, { message });
      inbox.push({ leadId: id, moments: [ago(74)], unread: 0 });
    }
    await untilDelivered(api);
    await backdate(dev.database_url, store.id, [...inbox, ...past]);
    await platform.admin('report rebuild');
    const kinds = await writeKinds(api, `${dev.sandbox_url}`);
    return { main: inbox[conversations.indexOf(mainConversation)]?.leadId ?? '', kinds };
  } finally {
    await receiver.close();
    await nats.close();
  }
}

/** `kinds`: whose conversation has every kind of message. */
export type ShownLeads = { readonly main: string; readonly kinds?: string };

type Lead = {
  readonly id: string;
  readonly name: string;
  readonly customer_phone: string;
  readonly interaction_count: number;
};

type Customer = Pick<Lead, 'id' | 'name' | 'customer_phone'>;

/** Does it for all, some at once, and returns the results in the same order. */
const inTurn = <T, R>(items: readonly T[], work: (item: T, index: number) => Promise<R>): Promise<R[]> =>
  mapEach(items, atOnce, work);
