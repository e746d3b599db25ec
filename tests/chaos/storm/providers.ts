import { setTimeout as pause } from 'node:timers/promises';
import { startWhatsappServer, type Taken, type WhatsappServer } from '@mostrador/testing/providers/whatsapp/server';
import {
  type PhoneNumber,
  postWebhook,
  type StatusName,
  statusPayload,
} from '@mostrador/testing/providers/whatsapp/webhooks';
import type { Random } from '@mostrador/testing/random';

/** A store's WhatsApp number at a stand-in, which posts status updates for the messages that it accepts. */
export type Phone = {
  readonly server: WhatsappServer;
  readonly number: PhoneNumber;
  /** The messages of this number that the stand-in accepted, in order. */
  taken(): readonly Taken[];
  /** The platform's webhook URL. Status updates begin when it is set. */
  webhookUrl: string | null;
  /** Posts a webhook once. Resolves with the HTTP status; 0: the connection broke. */
  post(payload: unknown): Promise<number>;
  /** Resolves when the status updates of every message that the stand-in accepted have been answered with 200. */
  reported(): Promise<void>;
};
/** The numbers of one stand-in. */
export type Phones = { readonly server: WhatsappServer; readonly phones: readonly Phone[]; close(): Promise<void> };

const lookEveryMs = 150;
const againAfterMs = 400;

const numberOf = (index: number): PhoneNumber => ({
  phoneNumberId: String(106_540_352_242_922 + index),
  phone: String(15_550_783_881 + index),
});

/**
 * Starts a stand-in with the numbers `from` to `from + count - 1`. It posts status updates as Meta does: it retries until
 * the answer is 200, sometimes posts twice, and does not always keep the order.
 */
export async function startPhones(from: number, count: number, random: Random): Promise<Phones> {
  const numbers = Array.from({ length: count }, (_, index) => numberOf(from + index));
  const server = await startWhatsappServer({
    ...numbers[0],
    moreNumberIds: numbers.slice(1).map(({ phoneNumberId }) => phoneNumberId),
    statuses: [],
    pairBurst: 1_000_000,
    numberRate: 1_000_000,
  });
  const { settings } = server;
  let open = true;
  let [seen, inFlight] = [0, 0];
  const phoneOf = (number: PhoneNumber): Phone => {
    const phone: Phone = {
      server,
      number,
      taken: () => server.log.filter(({ phoneNumberId }) => phoneNumberId === number.phoneNumberId),
      webhookUrl: null,
      post: async (payload) =>
        phone.webhookUrl === null ? 0 : await postWebhook(phone.webhookUrl, settings.appSecret, payload, { forMs: 0 }),
      async reported() {
        while (open && (seen < server.log.length || inFlight > 0)) await pause(lookEveryMs);
      },
    };
    return phone;
  };
  const phones = new Map(numbers.map((number) => [number.phoneNumberId, phoneOf(number)]));
  const report = async ({ id, to, callbackData, phoneNumberId }: Taken) => {
    const phone = phones.get(phoneNumberId) as Phone;
    inFlight += 1;
    const statuses: StatusName[] = random.next() < 0.5 ? ['sent', 'delivered', 'read'] : ['sent', 'delivered'];
    const inOrder = random.next() < 0.8;
    for (const status of inOrder ? statuses : random.shuffled(statuses)) {
      const payload = statusPayload(phone.number, { id, recipient: to, status, callbackData });
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
      while (seen < server.log.length) void report(server.log[seen++] as Taken);
      await pause(lookEveryMs);
    }
  };
  void reportOnAll();
  const close = async () => {
    open = false;
    await server.close();
  };
  return { server, phones: [...phones.values()], close };
}
