import { type getLeadContact, listLeadContacts, type ReplyOf } from '@mostrador/contracts';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import type { Dependencies } from '../dependencies.ts';
import { findShowsCustomer } from './calendar-settings.repository.ts';

/** What an event shows of the customer. */
export type Customer = {
  readonly name: string;
  /** Or the username of a customer without a phone. Null: neither is known. */
  readonly phone: string | null;
};

type Asking = Pick<StoreContext, 'requestId' | 'storeId' | 'traceparent' | 'deadline'>;

/** The most characters of a name in an event, so that a feed fits into one NATS message. */
const nameLength = 60;

/**
 * The customers of these leads, by the lead's id. It is empty when the store does not show them. Scheduling keeps none of
 * it: crm owns the names, and a lead that is gone has none.
 *
 * @throws AppError when crm does not answer
 */
export async function findCustomers(
  { database, rpc }: Pick<Dependencies, 'database' | 'rpc'>,
  context: Asking,
  leadIds: readonly (string | null)[],
): Promise<ReadonlyMap<string, Customer>> {
  const lead_ids = [...new Set(leadIds)].filter((id) => id !== null);
  if (lead_ids.length === 0) return new Map();
  if (!(await database.read(context, (sql) => findShowsCustomer(sql, context.storeId)))) return new Map();
  const { contacts } = await rpc.call(listLeadContacts, { body: { lead_ids } }, context);
  return new Map(
    contacts.map(({ id, name, ...ids }) => [
      id,
      { name: [...name].slice(0, nameLength).join(''), phone: phoneOf(ids) },
    ]),
  );
}

const phoneOf = ({ customer_phone, username }: Pick<ReplyOf<typeof getLeadContact>, 'customer_phone' | 'username'>) => {
  if (customer_phone !== null) return `+${customer_phone}`;
  return username ? `@${username}` : null;
};
