import { callingCodeOf, planOf } from '@mostrador/kit/phones/phone-plans';

/**
 * The calling code of a customer, by the user id, which begins with their country (ISO 3166): `55` for `BR.1502576394655843`.
 * WhatsApp bills by it. Undefined: it names no country with one.
 */
export function marketOf(userId: string): string | undefined {
  const plan = planOf(/^([A-Z]{2})\./.exec(userId)?.[1] ?? null);
  return plan && callingCodeOf(plan);
}
