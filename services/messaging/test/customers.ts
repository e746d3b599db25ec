import { randomUUID } from 'node:crypto';
import { getConversation, listMessages, type Message } from '@mostrador/contracts';
import { testContext } from '@mostrador/testing/context';
import { type Content, type Customer, type Entry, entriesPayload } from '@mostrador/testing/providers/whatsapp/entries';
import { waitFor } from '@mostrador/testing/wait';
import { connectWhatsapp, receive } from './inbound-webhook.ts';
import type { TestMessaging } from './messaging.ts';

let phones = 5511960000000;
export const newPhone = (): string => String(++phones);
export const newUserId = (): string => `BR.${randomUUID().replaceAll('-', '')}`;
export const newWamid = (): string => `wamid.${randomUUID()}`;

/** A store with a WhatsApp channel, whose customers do what the tests say. The inbound processor must run. */
export async function startStore(messaging: TestMessaging) {
  const storeId = randomUUID();
  const { channelId, phoneNumberId } = await connectWhatsapp(messaging, storeId);
  const number = { phoneNumberId, phone: '5511400000000' };
  const { adminSql } = messaging;
  const context = () => testContext({ storeId });
  const isProcessed = async () => {
    const [row] = await adminSql`
      select count(*)::int as open from inbound_payloads where channel_id = ${channelId} and processed_at is null`;
    return row?.open === 0;
  };
  const settled = () => waitFor(isProcessed, { description: 'every payload is processed' });
  const post = (payload: unknown) => receive(messaging, channelId, payload);
  return {
    storeId,
    channelId,
    number,
    context,
    settled,
    /** Posts a webhook, without waiting until it is processed. */
    post,
    /** Posts a webhook, and waits until it is processed. */
    async posts(payload: unknown): Promise<void> {
      await post(payload);
      await settled();
    },
    payload: (customer: Customer, content: Content, entry: Omit<Entry, 'content'> = {}) =>
      entriesPayload(number, customer, [{ ...entry, content }]),
    async does(customer: Customer, content: Content, entry: Omit<Entry, 'content'> = {}): Promise<void> {
      await post(entriesPayload(number, customer, [{ ...entry, content }]));
      await settled();
    },
    /** The lead that the channel knows by this number. */
    leadOf: async (waId: string): Promise<string | undefined> => {
      const [row] = await adminSql`
        select lead_id from conversations where store_id = ${storeId} and wa_id = ${waId}`;
      return row?.lead_id;
    },
    conversation: (leadId: string) => messaging.rpc.call(getConversation, { params: { leadId } }, context()),
    /** The lead's messages, the oldest first. */
    messages: async (leadId: string): Promise<Message[]> => {
      const page = await messaging.rpc.call(listMessages, { params: { leadId }, query: { limit: 200 } }, context());
      return page.data.toReversed();
    },
    /** The types of the public events, in order. */
    facts: async (): Promise<string[]> => {
      const rows = await adminSql`select type from feed_entries where store_id = ${storeId} order by id`;
      return rows.map(({ type }) => type);
    },
    failed: async (): Promise<string[]> => {
      const rows = await adminSql`
        select last_error from inbound_payloads where channel_id = ${channelId} and failed_at is not null`;
      return rows.map(({ last_error }) => last_error);
    },
  };
}
export type TestStore = Awaited<ReturnType<typeof startStore>>;
