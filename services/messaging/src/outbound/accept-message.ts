import type { acceptMessage as operation, RequestOf } from '@mostrador/contracts';
import { authorOf, type StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { conversationExists, NoConversation } from '../conversations/conversation.repository.ts';
import { findContact } from '../conversations/find-contact.ts';
import { needsConsent } from '../conversations/opt-out-state.ts';
import type { Dependencies } from '../dependencies.ts';
import { idsOf, takeKept } from '../inbound/take-kept.ts';
import { isSettled, type Outcome, toMessageError } from '../messages/message.ts';
import { acceptOutbound } from './accept-outbound.ts';
import { awaitOutcome } from './await-outcome.ts';
import type { OutboundRequest } from './outbound-request.ts';

export const acceptMessage =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context, { body }) => {
    const {
      id,
      source,
      template,
      unless_reply_after,
      expires_at,
      hands_over = false,
      agent,
      author_name: actorName,
      wait_ms = 0,
    } = body;
    const accept = (lead: FoundLead) =>
      dependencies.database.write(context, (sql) =>
        acceptOutbound(sql, context.storeId, {
          ...{ ...lead, id, source, body: body.message, template, handsOver: hands_over },
          rateCard: dependencies.rateCard,
          author: agent ? { kind: 'agent', ...agent } : authorOf({ actor: context.actor, actorName }),
          unless_reply_after: unless_reply_after === undefined ? undefined : toInstant(unless_reply_after),
          expires_at: expires_at === undefined ? undefined : toInstant(expires_at),
        }),
      );
    const known = await findKnown(dependencies, context, body);
    const asked = async () => await accept(await findLead(dependencies, context, body));
    const { message: row, isDue } = known
      ? await accept(known).catch((error: unknown) => {
          if (!(error instanceof NoConversation)) throw error;
          return asked();
        })
      : await asked();
    dependencies.relay.nudge();
    if (isDue) dependencies.notices.publish(context.storeId, row.lead_id);
    if (wait_ms === 0 || isSettled(row.status)) return present(row);
    const until = Date.now() + wait_ms;
    return later(async () => {
      const outcome = await awaitOutcome(dependencies, context, {
        id: row.id,
        untilMs: async () => until,
        isNew: isDue === true,
      });
      return present(outcome ?? row);
    });
  };

const present = (row: Outcome) => ({ id: row.id, status: row.status, error: toMessageError(row) });

type FoundLead = Pick<OutboundRequest, 'lead_id' | 'confirmed' | 'phone' | 'aiPausedUntil'>;

const hasConversation = ({ database }: Dependencies, context: StoreContext, leadId: string) =>
  database.read(context, (sql) => conversationExists(sql, context.storeId, leadId));

/** The lead, when the message needs nothing of crm. */
async function findKnown(
  dependencies: Dependencies,
  context: StoreContext,
  { lead_id, source, unless_reply_after }: RequestOf<typeof operation>['body'],
): Promise<FoundLead | undefined> {
  const isConditional = unless_reply_after !== undefined || needsConsent(source);
  return !isConditional && (await hasConversation(dependencies, context, lead_id))
    ? { lead_id, confirmed: false }
    : undefined;
}

/**
 * The lead to write to, as crm has it. Its phone matters, if the lead's unprocessed messages do: they may be known by the
 * phone alone. So does the price. A message to a merged lead goes to the lead that stays, once that has the replies and
 * the opt-out of both.
 */
async function findLead(
  dependencies: Dependencies,
  context: StoreContext,
  { lead_id }: RequestOf<typeof operation>['body'],
): Promise<FoundLead> {
  const { database, rpc, relay } = dependencies;
  const contact = await findContact(rpc, context, lead_id);
  const { id, customer_phone, ai_paused_until } = contact;
  if (id !== lead_id.toLowerCase() && (await hasConversation(dependencies, context, lead_id)))
    throw new AppError('service_unavailable', { retryAfterSeconds: 1 });
  await takeKept({ database, relay }, context, [{ leadId: id, ids: idsOf(contact) }]);
  const aiPausedUntil = ai_paused_until === null ? null : toInstant(ai_paused_until);
  return { lead_id: id, confirmed: true, phone: customer_phone ?? undefined, aiPausedUntil };
}
