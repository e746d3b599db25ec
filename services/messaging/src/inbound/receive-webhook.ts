import type { receiveWebhook as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/errors';
import type { Handler } from '@mostrador/kit/rpc-server';
import { appSecretsOf } from '../channels/credentials.ts';
import type { Dependencies } from '../dependencies.ts';
import { insertPayload } from './inbound.repository.ts';
import { isSignedBy } from './signature.ts';
import { findWebhookChannel } from './webhook-channel.ts';
import { readNotification } from './whatsapp-payload.ts';

/**
 * Stored, then answered, then processed. What is rightly signed is the channel's own word, so it is taken whatever it is:
 * refusing it would only have it sent again for days.
 */
export const receiveWebhook =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const { storeId, channel, credentials } = await findWebhookChannel(dependencies, context, body.channel_id);
    const payload = Buffer.from(body.payload_base64, 'base64');
    if (!isSignedBy(appSecretsOf(credentials, Date.now()), payload, body.signature)) {
      throw new AppError('webhook_refused', { detail: 'The signature is not that of this body.' });
    }
    const customers = customersOf(payload, channel.phone_number_id ?? '');
    const id = await dependencies.database.write({ storeId, deadline: context.deadline }, (sql) =>
      insertPayload(sql, storeId, { channel_id: channel.id, payload, customers: customers ?? [] }),
    );
    if (!customers) context.log.error({ store_id: storeId, payload: id }, 'a signed payload is not JSON');
    dependencies.inbound.nudge();
    return { done: true as const };
  };

/** Null: the payload is not JSON. It is kept for a person to look at. */
function customersOf(payload: Buffer, phoneNumberId: string): string[] | null {
  try {
    const { messages } = readNotification(JSON.parse(payload.toString('utf8')), phoneNumberId);
    return [...new Set(messages.map(({ waId }) => waId))];
  } catch {
    return null;
  }
}
