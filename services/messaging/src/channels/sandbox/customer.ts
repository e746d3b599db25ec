import { phoneForms } from '@mostrador/kit/phones/canonical-phone';
import type { CustomerIds } from '../channel-provider.ts';

/** The sandbox's own ids of customers without a number are in the form of WhatsApp's. No country has this code. */
const prefix = 'ZZ.';

/** Who writes on a telephone: the number in digits, or `@` and a username. */
export function idsOf(customer: string): CustomerIds & { readonly username?: string } {
  if (!customer.startsWith('@')) return { waId: customer, userId: null };
  const username = customer.slice(1);
  return { waId: null, userId: `${prefix}${Buffer.from(username).toString('hex')}`, username };
}

/** The customer whom the sandbox knows by this id or number, as `idsOf` reads it. */
export const customerOf = (id: string): string =>
  id.startsWith(prefix) ? `@${Buffer.from(id.slice(prefix.length), 'hex').toString()}` : id;

/** Where messages to the customer go, in all forms. */
export const addressesOf = (customer: string): string[] => {
  const { waId, userId } = idsOf(customer);
  return [...(waId === null ? [] : phoneForms(waId)), ...(userId === null ? [] : [userId])];
};
