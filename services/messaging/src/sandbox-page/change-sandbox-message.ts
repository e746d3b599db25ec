import { randomUUID } from 'node:crypto';
import type { changeSandboxMessage as operation, RequestOf } from '@mostrador/contracts';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { MessageChange } from '../channels/channel-provider.ts';
import { findTelephoneMessage } from '../channels/sandbox/sandbox.repository.ts';
import type { Dependencies } from '../dependencies.ts';
import { changeMessage } from '../inbound/change-message.ts';
import { assertOwnCustomer } from './own-customer.ts';
import { requireSandbox } from './require-sandbox.ts';

type Change =
  | { readonly kind: 'reaction'; readonly emoji: string | null }
  | { readonly kind: 'edit'; readonly body: string }
  | { readonly kind: 'revocation' };

/** Changes a message of the telephone with this number. A customer edits and deletes only what they wrote. */
export const changeSandboxMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const [change, ...more] = changesIn(body);
    if (!change || more.length > 0) {
      throw validationFailed([{ pointer: '#', detail: 'needs exactly one of `reaction`, `text` and `deleted`' }]);
    }
    const { store_id: storeId, id: channelId } = await requireSandbox(dependencies, context, body.token);
    const scope = { ...context, storeId };
    const phone = body.customer_phone;
    await assertOwnCustomer(dependencies, scope, { channelId, phone });
    const message = await dependencies.database.read(scope, (sql) =>
      findTelephoneMessage(sql, storeId, { channelId, phone, id: body.message_id }),
    );
    const isAllowed = message && (change.kind === 'reaction' || message.direction === 'inbound');
    if (!isAllowed) throw new AppError('message_not_found');
    const about = { eventId: randomUUID(), targetId: message.provider_message_id, at: new Date() };
    await changeMessage(dependencies, scope, channelId, { ...about, ...change } satisfies MessageChange);
    return { done: true as const };
  };

const changesIn = ({ reaction, text, deleted }: RequestOf<typeof operation>['body']): Change[] => [
  ...(reaction === undefined ? [] : [{ kind: 'reaction' as const, emoji: reaction }]),
  ...(text === undefined ? [] : [{ kind: 'edit' as const, body: text }]),
  ...(deleted ? [{ kind: 'revocation' as const }] : []),
];
