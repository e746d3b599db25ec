import type { receiveWebhook as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { ChannelRow } from '../channels/channel.repository.ts';
import { customersOf, isHistory } from '../channels/channel-provider.ts';
import type { Dependencies } from '../dependencies.ts';
import { createBatching } from './batching.ts';
import { insertPayloads, type NewPayload } from './inbound.repository.ts';
import { readPayload } from './read-payload.ts';
import { findWebhookChannel, lookUpStore, rememberStores, type StoreOf } from './webhook-channel.ts';

type Posted = { readonly payload: Buffer; readonly signature: string; readonly deadline: number };

/** The largest total of payload bytes in one statement. A larger payload gets a statement of its own. */
const mostBytes = 2 * 1024 * 1024;

/**
 * Stores webhooks, one statement for all that a channel posts at once, and answers. The processor handles them later. A
 * signed payload is stored even if it is unreadable, because the provider would repeat a rejected webhook for days.
 */
export const receiveWebhook = (dependencies: Dependencies): Handler<typeof operation> => {
  const storeOf = rememberStores(lookUpStore(dependencies));
  const batching = createBatching<Posted>({
    work: (channelId, posted) => ingest({ ...dependencies, storeOf }, channelId, posted),
    sizeOf: ({ payload }) => payload.length,
    mostSize: mostBytes,
  });
  return async (context, { body }) => {
    const { channel_id: channelId, payload_base64, signature } = body;
    const payload = Buffer.from(payload_base64, 'base64');
    await dependencies.inbound.ingest(() =>
      batching.add(channelId.toLowerCase(), { payload, signature, deadline: context.deadline }),
    );
    return { done: true as const };
  };
};

const badSignature = () => new AppError('webhook_refused', { detail: 'The signature does not match the body.' });

async function ingest(
  dependencies: Dependencies & { readonly storeOf: StoreOf },
  channelId: string,
  posted: readonly Posted[],
): Promise<(Error | undefined)[]> {
  const scope = { deadline: Math.max(...posted.map(({ deadline }) => deadline)) };
  const { storeId, channel, webhook, credentials } = await findWebhookChannel(dependencies, scope, channelId);
  const nowMs = Date.now();
  const errors = posted.map(({ payload, signature }) =>
    webhook.verifySignature(credentials, payload, signature, nowMs) ? undefined : badSignature(),
  );
  const signed = posted
    .filter((_, index) => errors[index] === undefined)
    .map(({ payload }) => ({ payload, ...lookedUp(channel, payload) }));
  if (signed.length > 0) {
    await dependencies.database.execute({ storeId, ...scope }, (sql) =>
      insertPayloads(sql, storeId, channel.id, signed),
    );
  }
  return errors;
}

/** The customers whom it concerns. None for a payload that is not JSON; the processor logs that one. */
function lookedUp(channel: ChannelRow, payload: Buffer): Omit<NewPayload, 'payload'> {
  try {
    const notification = readPayload(channel, payload, new Date());
    return { customers: customersOf(notification), is_history: isHistory(notification) };
  } catch {
    return { customers: [], is_history: false };
  }
}
