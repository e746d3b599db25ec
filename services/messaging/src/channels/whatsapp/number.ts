import { numberNameStatuses, numberQualities, numberSendings, numberStatuses } from '@mostrador/contracts';
import { identifier, member, object, readName, wordOf } from '../json.ts';
import type { ProviderNumber } from '../provider-number.ts';

const members = ['status', 'quality_rating', 'health_status', 'verified_name', 'name_status'];

/** Version 24 renamed the limit, and asking for a name that a version does not know is an error. */
const limitOf = (apiUrl: string): string =>
  Number(/\/v(\d+)(?:\.\d+)?$/.exec(apiUrl)?.[1] ?? 0) >= 24
    ? 'whatsapp_business_manager_messaging_limit'
    : 'messaging_limit_tier';

/** What a number is asked for. */
export const numberFields = (apiUrl: string): string => [...members, limitOf(apiUrl)].join(',');

/**
 * Reads an answer of `GET /{phone number}`. What it does not know becomes `unknown`. Undefined: the answer is no number.
 * https://developers.facebook.com/docs/graph-api/reference/whats-app-business-account-to-number-current-status
 */
export function readNumber(answer: unknown, apiUrl: string): ProviderNumber | undefined {
  if (!object(answer) || Array.isArray(answer)) return undefined;
  return {
    status: wordOf(numberStatuses, member(answer, 'status'), 'unknown'),
    quality: wordOf(numberQualities, member(answer, 'quality_rating'), 'unknown'),
    sending: wordOf(numberSendings, member(member(answer, 'health_status'), 'can_send_message'), 'unknown'),
    messaging_limit: identifier(member(answer, limitOf(apiUrl))).slice(0, 50) || null,
    name: readName(member(answer, 'verified_name')),
    name_status: wordOf(numberNameStatuses, member(answer, 'name_status'), 'unknown'),
  };
}
