import { randomUUID } from 'node:crypto';
import { connectChannel, createLead, deliveryShardId, deliveryShardOf } from '@mostrador/contracts';
import { deliveryShardWorkflow } from '@mostrador/contracts/workflows';
import { startWhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { startTcpProxy } from '@mostrador/testing/proxy/tcp-proxy';
import { waitFor } from '@mostrador/testing/wait';
import { expect } from 'vitest';
import { type Answer, post } from './creation.ts';
import { type ProcessName, startPlatform } from './stage.ts';

export type Lead = { readonly id: string; readonly phone: string };

/** One message under one idempotency key. `send` may be called repeatedly. */
export type Sending = { readonly lead: Lead; readonly text: string; send(): Promise<Answer> };

export type SendingStage = Awaited<ReturnType<typeof startSendingStage>>;

/**
 * Starts the platform around messaging, with a store whose WhatsApp channel is the stand-in, behind its own proxy. The
 * stand-in's log shows what was sent and how often. It posts a status update only when the test asks for it.
 */
export async function startSendingStage(options: { processes: readonly ProcessName[]; requestTimeoutMs?: number }) {
  const [whatsapp, platform] = await Promise.all([
    startWhatsappServer({ statuses: [], pairBurst: 1000, numberRate: 1000 }),
    startPlatform({ ...options, service: 'messaging' }),
  ]);
  const provider = await startTcpProxy(new URL(whatsapp.apiUrl).host);
  const store = await platform.newStore();
  const { phoneNumberId, phone, accessToken, appSecret } = whatsapp.settings;
  const { channel_id } = await platform.call(
    connectChannel,
    {
      body: {
        provider: 'whatsapp_cloud',
        phone_number_id: phoneNumberId,
        phone,
        api_url: whatsapp.apiUrl.replace(new URL(whatsapp.apiUrl).host, provider.address),
        number_rate: 1000,
        secrets: { access_token: accessToken, app_secret: appSecret, verify_token: 'verify-token' },
      },
    },
    store.id,
  );
  whatsapp.settings.webhookUrl = `${new URL(platform.url()).origin}/channels/whatsapp/${channel_id}/webhook`;
  const { adminSql } = platform.database;
  let phones = 5511980000000;

  return {
    ...platform,
    store,
    whatsapp,
    proxies: {
      ...platform.proxies,
      /** messaging → WhatsApp */
      provider,
    },
    /** Creates leads that have just written. Resolves when their messages are processed. */
    async newLeads(count: number): Promise<Lead[]> {
      const leads: Lead[] = [];
      for (let made = 0; made < count; made += 1) {
        const customer_phone = String(++phones);
        const body = { name: 'Ana', customer_phone };
        leads.push({ id: (await platform.call(createLead, { body }, store.id)).id, phone: customer_phone });
      }
      expect(await whatsapp.customerWrites(...leads.map((lead) => ({ from: lead.phone, text: 'Hello' })))).toBe(200);
      await waitFor(
        async () => (await adminSql`select from inbound_payloads where processed_at is null`).length === 0,
        { description: 'the messages of the customers are processed' },
      );
      return leads;
    },
    newSending(lead: Lead): Sending {
      const [key, text] = [randomUUID(), `Bom dia ${randomUUID()}`];
      return {
        lead,
        text,
        send: () => post(`${platform.url()}/leads/${lead.id}/messages`, store.key, key, { message: text }),
      };
    },
    /** The message's row. Fails if there is more than one. */
    async rowOf({ text }: Sending): Promise<{ id: string; status: string; attempts: number } | undefined> {
      const rows = await adminSql<{ id: string; status: string; attempts: number }[]>`
        select id, status, attempts from messages where body = ${text}`;
      expect(rows.length).toBeLessThan(2);
      return rows[0];
    },
    /**
     * Waits until no step sends the store's messages and none is about to begin, so that the next message wakes its shard.
     * A closed shard is not enough: what woke it, such as the connected channel, may be on its way.
     */
    async untilShardRests(): Promise<void> {
      const shard = deliveryShardWorkflow.workflowId(deliveryShardId(deliveryShardOf(store.id)));
      const rests = async () => {
        // In the order in which a wake-up goes.
        if ((await adminSql`select from outbox where kind = 'workflow'`).length > 0) return false;
        const { status } = await platform.temporal.client.workflow.getHandle(shard).describe();
        if (status.name === 'RUNNING') return false;
        return (await adminSql`select from delivery_shards where open_until > clock_timestamp()`).length === 0;
      };
      await waitFor(rests, { description: 'the shard rests' });
    },
    /** The texts that WhatsApp accepted for the lead, in order. */
    sentTo: (lead: Lead): string[] => whatsapp.log.filter(({ to }) => to === lead.phone).map(({ text }) => text ?? ''),
    async stop() {
      await platform.stop();
      await provider.close();
      await whatsapp.close();
    },
  };
}

/** Sends until the answer is 200. The key makes the retries safe. */
export const untilAccepted = (sending: Sending): Promise<Answer> =>
  waitFor(
    async () => {
      const answer = await sending.send();
      return answer.status === 200 && answer;
    },
    { description: 'the send is answered with 200' },
  );
