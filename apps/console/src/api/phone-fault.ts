import { m } from '../paraglide/messages.js';
import { faultOf } from './failure.ts';

/** What is wrong with the phone at this pointer. A phone that can be two numbers names both; any other is `bad`. */
export function phoneFaultOf(error: unknown, pointer: string, bad: () => string): string | undefined {
  const detail = faultOf(error, pointer);
  if (detail === undefined) return undefined;
  const [one, other] = detail.match(/\+\d{8,15}/g) ?? [];
  return one !== undefined && other !== undefined ? m.ui_phone_ambiguous({ one, other }) : bad();
}
