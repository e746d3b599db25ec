import { createHmac, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Prepared } from '../shared/load/job.ts';

type WebhookChannel = {
  readonly channelId: string;
  readonly phoneNumberId: string;
  readonly appSecret: string;
};

const lookEveryMs = 50;
const storedWithinMs = 10 * 60_000;

/** Signed posts with one message each, from these customers in turn, and the id of the last message. */
export function webhooksFrom(
  { channelId, phoneNumberId, appSecret }: WebhookChannel,
  phones: readonly string[],
  count: number,
  path = `/channels/whatsapp/${channelId}/webhook`,
): { posts: Prepared[]; lastId: string } {
  let lastId = '';
  const posts = Array.from({ length: count }, (_, index): Prepared => {
    lastId = `wamid.${randomUUID()}`;
    const body = JSON.stringify(notification(phoneNumberId, phones[index % phones.length] ?? '', lastId));
    const signature = createHmac('sha256', appSecret).update(body).digest('hex');
    return { path, headers: { 'X-Hub-Signature-256': `sha256=${signature}` }, body };
  });
  return { posts, lastId };
}

/** Waits until the last message is stored, and then until this number of messages of customers is stored. */
export async function untilStored(
  sql: postgres.Sql,
  channelId: string,
  lastId: string,
  received: number,
): Promise<void> {
  const until = performance.now() + storedWithinMs;
  // A look-up by an index, because counting would be a part of what is measured.
  const isStored = async () =>
    (
      await sql`
        select 1 from messaging.messages where channel_id = ${channelId} and provider_message_id = ${lastId}`
    ).length > 0;
  while (!(await isStored()) || (await countReceived(sql, channelId)) < received) {
    if (performance.now() > until) throw new Error('some messages were not stored');
    await pause(lookEveryMs);
  }
}

export async function countReceived(sql: postgres.Sql, channelId: string): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*)::int as count from messaging.messages
    where channel_id = ${channelId} and direction = 'inbound'`;
  return row.count;
}

/** The notification that WhatsApp posts for a text message. */
const notification = (phoneNumberId: string, from: string, id: string) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '100000000000001',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550783881', phone_number_id: phoneNumberId },
            contacts: [{ profile: { name: 'Maria da Silva' }, wa_id: from }],
            messages: [
              {
                from,
                id,
                timestamp: String(Math.floor(Date.now() / 1000)),
                type: 'text',
                text: { body: 'Are my glasses ready?' },
              },
            ],
          },
        },
      ],
    },
  ],
});
