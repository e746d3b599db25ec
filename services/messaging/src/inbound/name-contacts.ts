import { nameLeads } from '@mostrador/contracts';
import type { StoreScope } from '@mostrador/kit/database/database';
import type { CallContext } from '@mostrador/kit/rpc/client';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import type { InboundEffect } from '../channels/channel-provider.ts';
import type { Dependencies } from '../dependencies.ts';

export type Contact = Extract<InboundEffect, { kind: 'contact' }>;

/** How many contacts crm gets at once. A telephone tells its whole address book when it is connected. */
export const contactsAtOnce = 200;

/** Tells crm what the address book of the store's own telephone calls customers. Repeats and any order are safe. */
export async function nameContacts(
  { rpc }: Pick<Dependencies, 'rpc'>,
  context: StoreScope & CallContext,
  contacts: readonly Contact[],
): Promise<void> {
  const named = contacts.map(({ phone, name, at }) => ({ customer_phone: phone, name, at: toTimestamp(at) }));
  await rpc.call(nameLeads, { body: { contacts: named } }, context);
}
