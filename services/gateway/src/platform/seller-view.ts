import {
  getFollowup,
  getLead,
  listFollowups,
  listStoreMessages,
  type Operation,
  type ReplyOf,
  type RequestOf,
  upsertLead,
} from '@mostrador/contracts';
import { roleRequired } from '@mostrador/kit/rpc/person';
import type { UncheckedRequest } from '@mostrador/kit/rpc/validate';
import type { Route } from '../routes/route.ts';

/** Asks a service in the name of the seller. */
export type Ask = <O extends Operation>(operation: O, request: RequestOf<O>) => Promise<ReplyOf<O>>;

type Parts = {
  readonly params?: { readonly leadId?: string; readonly followupId?: string };
  readonly query?: { readonly lead_id?: string };
  readonly body?: { readonly lead_id?: string | null };
};

/** Without a lead these show what concerns the leads of all sellers. */
const listsOfAllLeads: ReadonlySet<Operation> = new Set([listFollowups, listStoreMessages]);

/**
 * Throws `lead_not_found` when a request of a seller concerns the lead of another seller, and `role_required` when it
 * concerns the leads of all. crm lists and shows only leads that the seller may see; for all other services this decides,
 * by asking crm for the lead. Appointments are the calendar of the whole store, so every seller sees them.
 */
export async function checkSellerView({ operation }: Route, unchecked: UncheckedRequest, ask: Ask): Promise<void> {
  const { params, query, body } = unchecked as Parts;
  // It would change a lead by its phone, whose seller is known only then.
  if (operation === upsertLead) throw roleRequired('manager');
  const named = params?.leadId ?? query?.lead_id ?? body?.lead_id ?? undefined;
  if (named === undefined && listsOfAllLeads.has(operation)) {
    throw roleRequired('manager', 'Sellers name a lead in `lead_id`: only managers see the list of all leads.');
  }
  const leadId =
    params?.followupId === undefined
      ? named
      : (await ask(getFollowup, { params: { followupId: params.followupId } })).lead_id;
  if (leadId !== undefined && operation !== getLead) await ask(getLead, { params: { leadId } });
}
