import { isSamePhone } from './canonical-phone.ts';
import { callingCodeIn, callingCodeOf, dialledWithin, planOf } from './phone-plans.ts';

/**
 * The number of the country that the digits of a phone of a lead are, when a person may have written them without the
 * country code. Until phones with two meanings were rejected, such digits became a foreign number. Undefined for a phone
 * with the country's own code: most of those were written so.
 */
export function nationalMeaning(phone: string, country: string): string | undefined {
  const plan = planOf(country);
  if (plan === undefined || callingCodeIn(phone) === callingCodeOf(plan)) return undefined;
  const national = dialledWithin(plan, phone);
  return national === undefined || isSamePhone(national, phone) ? undefined : national;
}
