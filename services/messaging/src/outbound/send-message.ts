import {
  faultsOfTemplate,
  maxMessageMetadataBytes,
  sendMessage as operation,
  type ReplyOf,
  type RequestOf,
  type ValidationFault,
} from '@mostrador/contracts';
import type { Sql } from '@mostrador/kit/database/database';
import { changeMetadata } from '@mostrador/kit/database/metadata';
import { withDeferredIdempotency } from '@mostrador/kit/idempotency/idempotency';
import { authorOf, type StoreContext } from '@mostrador/kit/rpc/context';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { NoConversation } from '../conversations/conversation.repository.ts';
import { confirmLead } from '../conversations/require-lead.ts';
import type { Dependencies } from '../dependencies.ts';
import { idsOf, takeKept } from '../inbound/take-kept.ts';
import { toSendResult } from '../messages/message.ts';
import { findSettings } from '../settings/settings.repository.ts';
import { type Accepted, acceptOutbound } from './accept-outbound.ts';
import { awaitOutcome } from './await-outcome.ts';
import type { OutboundRequest } from './outbound-request.ts';

export const sendMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { params, body }) => {
    const { database, relay, rpc, notices, rateCard } = dependencies;
    const arrivedMs = Date.now();
    const faults = [...faultsOfContent(body), ...faultsOfTemplate(body.template)];
    if (faults.length > 0) throw validationFailed(faults);
    const metadata = changeMetadata({}, body.metadata, maxMessageMetadataBytes);
    const result = await withDeferredIdempotency({
      database,
      context,
      operation,
      run: async (commit) => {
        const request = {
          lead_id: params.leadId,
          author: authorOf(context),
          source: context.person ? ('seller' as const) : ('api' as const),
          body: body.message ?? null,
          template: body.template,
          metadata,
          rateCard,
        };
        const accept = async (lead: Pick<OutboundRequest, 'confirmed' | 'phone'>) => {
          const accepted = await commit((sql) => acceptOutbound(sql, context.storeId, { ...request, ...lead }));
          if (accepted.isDue) notices.publish(context.storeId, accepted.message.lead_id);
          return accepted;
        };
        // As a rule the lead has a conversation, and so exists.
        try {
          return await accept({ confirmed: false });
        } catch (error) {
          if (!(error instanceof NoConversation)) throw error;
        }
        const contact = await confirmLead(rpc, context, params.leadId);
        await takeKept({ database, relay }, context, [{ leadId: contact.id, ids: idsOf(contact) }]);
        return await accept({ confirmed: true, phone: contact.customer_phone ?? undefined });
      },
      entityOf: ({ message }: Accepted) => message.id,
      answer: (id, accepted) => outcomeOf(dependencies, context, { id, accepted, arrivedMs }),
    });
    relay.nudge();
    return result;
  };

/** A message is either a text or a template. */
function faultsOfContent({ message, template }: RequestOf<typeof operation>['body']): ValidationFault[] {
  if (message === undefined && template === undefined) {
    return [{ pointer: '#', detail: 'must have one of `message` and `template`' }];
  }
  if (message === undefined || template === undefined) return [];
  return [
    { pointer: '#/message', detail: 'cannot be combined with `template`; send only one' },
    { pointer: '#/template', detail: 'cannot be combined with `message`; send only one' },
  ];
}

/** The answer for an accepted message: its outcome, or its status after the store's `message_wait_seconds`. */
async function outcomeOf(
  dependencies: Dependencies,
  context: StoreContext,
  { id, accepted, arrivedMs }: { id: string; accepted?: Accepted; arrivedMs: number },
): Promise<ReplyOf<typeof operation>> {
  if (accepted?.waitSeconds === 0) return toSendResult(accepted.message);
  const waitSeconds = async (sql: Sql) =>
    accepted?.waitSeconds ?? (await findSettings(sql, context.storeId)).message_wait_seconds;
  const outcome = await awaitOutcome(dependencies, context, {
    id,
    untilMs: async (sql) => arrivedMs + (await waitSeconds(sql)) * 1000,
    isNew: accepted?.isDue === true,
  });
  // The row could not be read. The message is accepted, so the answer says only that.
  return outcome ? toSendResult(outcome) : { sent: false, id, status: 'queued', error: null };
}
