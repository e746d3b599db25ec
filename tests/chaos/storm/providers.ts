import { setTimeout as pause } from 'node:timers/promises';
import { startWhatsappServer, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import { postWebhook, type StatusName, statusPayload } from '@mostrador/testing/providers/whatsapp/webhooks';
import type { Random } from '@mostrador/testing/random';

/** A store's WhatsApp stand-in. It logs the messages that it accepts and posts status updates for them. */
export type Phone = {
  readonly server: WhatsappServer;
  /** The platform's webhook URL. Status updates begin when it is set. */
  webhookUrl: string | null;
  /** Posts a webhook once. Resolves with the HTTP status; 0: the connection broke. */
  post(payload: unknown): Promise<number>;
  /** Resolves when the status updates of every accepted message have been answered with 200. */
  reported(): Promise<void>;
  close(): Promise<void>;
};

const lookEveryMs = 150;
const againAfterMs = 400;

/**
 * Starts a stand-in that posts status updates as Meta does: it retries until the answer is 200, sometimes posts twice,
 * and does not always keep the order.
 */
export async function startPhone(number: number, random: Random): Promise<Phone> {
  const server = await startWhatsappServer({
    phoneNumberId: String(106_540_352_242_922 + number),
    phone: String(15_550_783_881 + number),
    statuses: [],
    pairBurst: 1_000_000,
    numberRate: 1_000_000,
  });
  const { settings } = server;
  let open = true;
  let [seen, inFlight] = [0, 0];
  const phone: Phone = {
    server,
    webhookUrl: null,
    post: async (payload) =>
      phone.webhookUrl === null ? 0 : await postWebhook(phone.webhookUrl, settings.appSecret, payload, { tries: 1 }),
    async reported() {
      while (open && (seen < server.log.length || inFlight > 0)) await pause(lookEveryMs);
    },
    async close() {
      open = false;
      await server.close();
    },
  };
  const report = async ({ id, to, callbackData }: WhatsappServer['log'][number]) => {
    inFlight += 1;
    const statuses: StatusName[] = random.next() < 0.5 ? ['sent', 'delivered', 'read'] : ['sent', 'delivered'];
    const inOrder = random.next() < 0.8;
    for (const status of inOrder ? statuses : random.shuffled(statuses)) {
      const payload = statusPayload(settings, { id, recipient: to, status, callbackData });
      const times = random.next() < 0.1 ? 2 : 1;
      for (let done = 0; done < times && open; ) {
        if ((await phone.post(payload)) === 200) done += 1;
        else await pause(againAfterMs);
      }
    }
    inFlight -= 1;
  };
  const reportOnAll = async () => {
    while (open) {
      while (phone.webhookUrl && seen < server.log.length)
        void report(server.log[seen++] as (typeof server.log)[number]);
      await pause(lookEveryMs);
    }
  };
  void reportOnAll();
  return phone;
}
