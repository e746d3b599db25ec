import { randomUUID } from 'node:crypto';
import {
  faultsOfSandboxMessage,
  hasMedia,
  type receiveSandboxMessage as operation,
  type RequestOf,
} from '@mostrador/contracts';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { readName } from '../channels/json.ts';
import { addressesOf, idsOf } from '../channels/sandbox/customer.ts';
import { providerIdOf } from '../channels/sandbox/payload.ts';
import { findTelephoneMessage, insertDelivery, isWithOther } from '../channels/sandbox/sandbox.repository.ts';
import { sendInteractionCounts } from '../conversations/send-interaction-counts.ts';
import type { Dependencies } from '../dependencies.ts';
import { acceptInbound } from '../inbound/accept-inbound.ts';
import { assertOwnCustomer } from './own-customer.ts';
import { requireSandbox } from './require-sandbox.ts';

/** Accepts the message before it answers. On an error, the person at the sandbox page can try again. */
export const receiveSandboxMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const faults = faultsOfSandboxMessage({ body });
    if (faults.length > 0) throw validationFailed(faults);
    const { id: channelId, store_id: storeId } = await requireSandbox(dependencies, context, body.token);
    const actor = { kind: 'channel', id: channelId } as const;
    await assertOwnCustomer(dependencies, { ...context, storeId }, { channelId, phone: body.customer_phone });
    const { customer_phone: phone, reply_to_id: id } = body;
    const quoted =
      id &&
      (await dependencies.database.read({ ...context, storeId }, (sql) =>
        findTelephoneMessage(sql, storeId, { channelId, phone, id }),
      ));
    const isOnStandby =
      body.from_agent ||
      (!body.from_store &&
        (await dependencies.database.read({ ...context, storeId }, (sql) => isWithOther(sql, storeId, phone))));
    const isEcho = body.from_store || body.from_agent;
    const messageId = randomUUID();
    const accepted = await acceptInbound(dependencies, { ...context, storeId, actor }, channelId, {
      ...(isEcho && { isEcho: true as const, id: messageId }),
      ...(isOnStandby && { isOnStandby }),
      providerMessageId: providerIdOf(messageId),
      ...idsOf(phone),
      name: readName(body.name),
      ...partsOf(body),
      ...(quoted && { quotedId: quoted.provider_message_id }),
      writtenAt: new Date(),
    });
    if (isEcho) {
      const [address = phone] = addressesOf(phone);
      const delivery = { id: messageId, channelId, phone: address, body: textOf(body), afterMs: 0 };
      await dependencies.database.execute({ ...context, storeId }, (sql) => insertDelivery(sql, storeId, delivery));
    }
    // The answer does not wait for crm. The periodic job sends a count that fails here.
    if (accepted) void sendInteractionCounts(dependencies, storeId, [accepted]).catch(() => {});
    return { done: true as const };
  };

const textOf = ({ text, content }: RequestOf<typeof operation>['body']): string => text ?? content?.title ?? '';

/** What the message says, as a channel with real telephones tells it. */
function partsOf(body: RequestOf<typeof operation>['body']) {
  const { type = 'text', media, content } = body;
  const none = { mime_type: null, filename: null, size_bytes: null, sha256: null, voice: false, animated: false };
  return {
    kind: type === 'interactive_reply' ? 'interactive' : type,
    body: textOf(body),
    ...(hasMedia(type) && { media: { ...none, ...media, state: 'not_fetched' as const } }),
    ...(content && { content }),
  };
}
