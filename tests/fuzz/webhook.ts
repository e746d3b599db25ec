import { createHmac } from 'node:crypto';
import { errorCatalogue } from '@mostrador/contracts';
import { contents, entriesPayload } from '@mostrador/testing/providers/whatsapp/entries';
import { inboundPayload, newWamid, statusPayload } from '@mostrador/testing/providers/whatsapp/webhooks';
import type { Random } from '@mostrador/testing/random';
import { waitFor } from '@mostrador/testing/wait';
import postgres from 'postgres';
import { anyValue, disturbed, mutated, randomBytes } from './bytes.ts';
import type { Part } from './part.ts';
import type { FuzzPlatform } from './platform.ts';

const atOnce = 4;
const drainedWithinMs = 120_000;

/** Posts random bytes and slightly wrong notifications to the channel's webhook, with right and wrong signatures. */
export const webhook: Part = {
  name: 'webhook',
  async run({ platform, random, until, finding }) {
    const { id: storeId } = platform.store;
    const { whatsapp } = platform;
    const channelId = await platform.connectWhatsapp();
    const url = `${platform.gatewayUrl}/channels/whatsapp/${channelId}/webhook`;
    let tries = 0;
    const post = async (payload: Buffer, isSigned: boolean): Promise<void> => {
      const signature = `sha256=${createHmac('sha256', isSigned ? whatsapp.appSecret : 'another')
        .update(payload)
        .digest('hex')}`;
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
        body: new Uint8Array(payload),
      });
      const text = await answer.text();
      const expected = isSigned ? 200 : errorCatalogue.webhook_refused.status;
      if (answer.status !== expected) {
        finding(
          `the webhook answered ${answer.status} to a ${isSigned ? 'right' : 'wrong'} signature: ${text.slice(0, 200)}`,
        );
      }
    };
    const client = async () => {
      while (Date.now() < until) {
        tries += 1;
        await post(payloadOf(whatsapp, random), random.next() < 0.85);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, client));

    // A later message must still be processed, so no earlier payload has blocked the queue.
    const text = `after the fuzzer ${newWamid()}`;
    await post(Buffer.from(JSON.stringify(inboundPayload(whatsapp, [{ from: '5511987650000', text }]))), true);
    const sql = postgres(platform.dev.database_url, { max: 1, onnotice: () => {} });
    try {
      await waitFor(
        async () =>
          (await sql`select from messaging.messages where store_id = ${storeId} and body = ${text}`).length === 1,
        {
          description: 'a message that arrives after the fuzzer is processed',
          timeoutMs: drainedWithinMs,
          intervalMs: 200,
        },
      ).catch((error: Error) => finding(error.message));
      // `no_phone` is expected: a sender whose id is not a phone number is retried for hours and blocks no other
      // sender.
      const [left] = await sql`
        select count(*)::int as count, max(last_error) as why from messaging.inbound_payloads
        where store_id = ${storeId} and processed_at is null and attempts > 0 and last_error <> 'no_phone'`;
      if (left?.count > 0) finding(`${left?.count} notifications fail: ${left?.why}`);
    } finally {
      await sql.end({ timeout: 1 });
    }
    return tries;
  },
};

function payloadOf(number: FuzzPlatform['whatsapp'], random: Random): Buffer {
  const customer = random.below(50);
  const from = String(5_511_900_000_000 + customer);
  const hidden = { userId: `BR.${1_000_000 + customer}`, username: `ana.${customer}` };
  const right = random.pick([
    () => inboundPayload(number, [{ from, text: 'Bom dia' }]),
    () => entriesPayload(number, hidden, [{ content: contents.text('Bom dia') }]),
    () => entriesPayload(number, { ...hidden, phone: from }, [{ content: contents.text('Bom dia') }]),
    () =>
      inboundPayload(number, [
        { from, text: 'stop' },
        { from, text: 'start', timestamp: 1e12 },
      ]),
    () => statusPayload(number, { id: newWamid(), recipient: from, status: 'delivered', callbackData: 'x' }),
    () => statusPayload(number, { id: newWamid(), recipient: from, status: 'failed', callbackData: null, code: 1 }),
  ])();
  return random.pick([
    () => randomBytes(random, 500),
    () => Buffer.from(JSON.stringify(anyValue(random))),
    () => Buffer.from(JSON.stringify(disturbed(random, right, 0.08))),
    () => Buffer.from(JSON.stringify(disturbed(random, right, 0.03))),
    () => mutated(random, Buffer.from(JSON.stringify(right))),
    () => Buffer.from(JSON.stringify(right)),
  ])();
}
