import { setTimeout as pause } from 'node:timers/promises';
import { connectChannel, createApiKey, createStore, settleMessage } from '@mostrador/contracts';
import { startWhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { waitFor } from '@mostrador/testing/wait';
import postgres from 'postgres';
import type { Platform } from '../../storm/platform.ts';
import { post } from '../creation.ts';

/**
 * An acknowledged follow-up. `cancelAnswer` and `moveAnswer` are the HTTP statuses of its cancellation and its move, if
 * the test sent one; 0: no answer came.
 */
export type Planned = {
  readonly id: string;
  readonly dueMs: number;
  cancelAnswer?: number;
  moveAnswer?: number;
  movedToMs?: number;
};
export type Row = { readonly id: string; readonly status: string; readonly message_id: string | null };

export type FollowupTown = Awaited<ReturnType<typeof openTown>>;

const phoneOf = (index: number) => String(5_511_960_000_000 + index);
const json = { 'content-type': 'application/json' };
/** The outcome is unknown (0: no answer, 504), or nothing was done (503). The idempotency key makes a retry safe. */
const mayRetry = new Set([0, 503, 504]);

/**
 * Creates a store whose WhatsApp is the stand-in, with leads that have just written. The stand-in accepts every
 * message, and its log shows what was sent and how often.
 */
export async function openTown(platform: Platform, leads: number) {
  const whatsapp = await startWhatsappServer({ numberRate: 1000 });
  const [baseUrl] = platform.baseUrls();
  const sql = postgres(platform.servers.databaseUrl, { max: 1, onnotice: () => {}, connect_timeout: 15 });
  const { phoneNumberId, phone, accessToken, appSecret } = whatsapp.settings;
  const store = await platform.inside(async (call) => {
    const { id } = await call(createStore, { body: { name: 'Follow-ups', tier: 'enterprise' } });
    const { api_key: key } = await call(createApiKey, { body: { store_id: id, name: 'chaos' } });
    const secrets = { access_token: accessToken, app_secret: appSecret, verify_token: 'verify-token' };
    const own = { phone_number_id: phoneNumberId, phone, api_url: whatsapp.apiUrl, number_rate: 1000, secrets };
    const { webhook_url } = await call(connectChannel, { body: { provider: 'whatsapp_cloud', ...own } }, id);
    whatsapp.settings.webhookUrl = webhook_url;
    return { id, key };
  });
  await whatsapp.customerWrites(
    ...Array.from({ length: leads }, (_, index) => ({ from: phoneOf(index), text: 'Hello' })),
  );
  await waitFor(
    async () => (await sql`select from messaging.inbound_payloads where processed_at is null`).length === 0,
    { description: 'the messages of the customers are processed' },
  );
  const listed = await fetch(`${baseUrl}/leads?limit=200`, { headers: { 'x-api-key': store.key } });
  const { data } = (await listed.json()) as { data: { id: string }[] };
  const settledByHand = new Set<string>();

  return {
    store,
    whatsapp,
    leadIds: data.map(({ id }) => id),
    /** Messages of unknown outcome that are not in WhatsApp's log. `settleUnknown` settled them as failed. */
    settledByHand,
    async schedule(leadId: string, dueMs: number): Promise<Planned> {
      const body = { lead_id: leadId, message: 'Still interested?', due_at: new Date(dueMs).toISOString() };
      const send = () => post(`${baseUrl}/followups/scheduled`, store.key, leadId, body);
      // On a machine that stands still, a service can be late or busy. A client then sends the request again.
      const answer = await waitFor(
        async () => {
          const latest = await send();
          return !mayRetry.has(latest.status) && latest;
        },
        { description: 'a follow-up is scheduled', timeoutMs: 24_000, intervalMs: 1000 },
      );
      if (answer.status !== 201) throw new Error(`a follow-up got the answer ${answer.status}: ${answer.text}`);
      return { id: JSON.parse(answer.text).id, dueMs };
    },
    /** Sends one cancellation at this time. */
    async cancel(planned: Planned, atMs: number): Promise<void> {
      await pause(Math.max(0, atMs - Date.now()));
      const url = `${baseUrl}/followups/scheduled/${planned.id}`;
      planned.cancelAnswer = await fetch(url, { method: 'DELETE', headers: { ...json, 'x-api-key': store.key } }).then(
        ({ status }) => status,
        () => 0,
      );
    },
    /** Sends one change of the due time at this time. */
    async move(planned: Planned, atMs: number, toMs: number): Promise<void> {
      await pause(Math.max(0, atMs - Date.now()));
      planned.movedToMs = toMs;
      planned.moveAnswer = await fetch(`${baseUrl}/followups/scheduled/${planned.id}`, {
        method: 'PATCH',
        headers: { ...json, 'x-api-key': store.key },
        body: JSON.stringify({ due_at: new Date(toMs).toISOString() }),
      }).then(
        ({ status }) => status,
        () => 0,
      );
    },
    rows: (): Promise<Row[]> => sql<Row[]>`select id, status, message_id from scheduling.followups`,
    /**
     * Settles messages of unknown outcome, as an operator would. For messages in its log, WhatsApp posts the status
     * again. The others are settled as failed.
     */
    async settleUnknown(): Promise<void> {
      const unknown = await sql<{ id: string }[]>`select id from messaging.messages where status = 'unknown'`;
      for (const { id } of unknown) {
        const taken = whatsapp.log.find(({ callbackData }) => callbackData === id);
        if (taken) await whatsapp.report(taken, 'delivered');
        else {
          settledByHand.add(id);
          await platform.inside((call) =>
            call(settleMessage, { body: { message_id: id, status: 'failed' } }, store.id),
          );
        }
      }
    },
    timesSent: (id: string): number => whatsapp.log.filter(({ callbackData }) => callbackData === id).length,
    sentAtMs: (id: string): number | undefined => whatsapp.log.find(({ callbackData }) => callbackData === id)?.atMs,
    async close() {
      await sql.end({ timeout: 1 });
      await whatsapp.close();
    },
  };
}
