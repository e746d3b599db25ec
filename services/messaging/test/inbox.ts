import { randomUUID } from 'node:crypto';
import {
  type InboxConversation,
  listConversations,
  type Message,
  markConversationRead,
  type RequestOf,
} from '@mostrador/contracts';
import type { Person } from '@mostrador/kit/rpc/context';
import { testContext } from '@mostrador/testing/context';
import { acceptInbound } from '../src/inbound/accept-inbound.ts';
import { acceptOutbound } from '../src/outbound/accept-outbound.ts';
import type { TestMessaging } from './messaging.ts';

type Query = RequestOf<typeof listConversations>['query'];
type Page = { data: InboxConversation[]; total: number; page: number; limit: number; cursor: string | undefined };

/** A store with a channel, and what its people do in the inbox. */
export type TestInbox = {
  readonly storeId: string;
  list(query?: Query, person?: Person): Promise<Page>;
  /** The names of the leads on a page. */
  names(query?: Query, person?: Person): Promise<string[]>;
  /** The lead writes. */
  hear(leadId: string, body?: string): Promise<void>;
  /** The store writes. Returns the id of the message, which stays queued. */
  say(leadId: string, source?: Exclude<Message['source'], 'lead'>, more?: { handsOver?: boolean }): Promise<string>;
  read(leadId: string, message_id: string, person?: Person): Promise<number>;
  /** The ids of the lead's messages, in order. */
  messageIds(leadId: string): Promise<string[]>;
};

export async function newInbox(messaging: TestMessaging): Promise<TestInbox> {
  const storeId = randomUUID();
  const channelId = await messaging.addChannel(storeId);
  const { dependencies, rpc, adminSql } = messaging;
  const context = () => testContext({ storeId });
  /** A manager asks, or the given person. */
  const asked = (person?: Person) => testContext({ storeId, ...(person ? { person } : { role: 'manager' }) });
  const list = async (query: Query = {}, person?: Person) => {
    const { body, headers } = await rpc.forward(listConversations, { query }, asked(person));
    return { ...JSON.parse(Buffer.from(body).toString()), cursor: headers.nextCursor };
  };
  const phones = new Map<string, string>();
  return {
    storeId,
    list,
    names: async (query, person) => (await list(query, person)).data.map(({ lead }: InboxConversation) => lead.name),
    async hear(leadId, body = 'Olá') {
      const waId = phones.get(leadId) ?? String(5511700000000 + phones.size);
      if (!phones.has(leadId)) {
        await adminSql`
          insert into conversations (store_id, lead_id, wa_id) values (${storeId}, ${leadId}, ${waId})
          on conflict (store_id, lead_id) do update set wa_id = excluded.wa_id`;
      }
      phones.set(leadId, waId);
      const message = { providerMessageId: randomUUID(), waId, userId: null, name: null, kind: 'text', body };
      await acceptInbound(dependencies, context(), channelId, { ...message, writtenAt: new Date() });
    },
    async say(lead_id, source = 'api', more = {}) {
      const { message } = await dependencies.database.write(context(), (sql) =>
        acceptOutbound(sql, storeId, { lead_id, confirmed: true, source, body: 'Hello', rateCard: undefined, ...more }),
      );
      return message.id;
    },
    read: async (leadId, message_id, person) =>
      (await rpc.call(markConversationRead, { params: { leadId }, body: { message_id } }, asked(person))).unread_count,
    messageIds: async (leadId) =>
      (await adminSql`select id from messages where store_id = ${storeId} and lead_id = ${leadId} order by number`).map(
        ({ id }) => id,
      ),
  };
}
