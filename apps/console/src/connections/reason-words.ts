import { Failure, faultOf, wordsOf } from '../api/failure.ts';
import { m } from '../paraglide/messages.js';

/** What each refusal of a provider means, and what to do. */
const words: Readonly<Record<string, () => string>> = {
  provider_unavailable: m.connections_unavailable,
  calendar_not_read: m.connections_not_read,
  calendar_emptied: m.connections_emptied,
  calendar_credentials_refused: m.connections_credentials,
  calendar_permission_denied: m.connections_permission,
  calendar_read_only: m.connections_permission,
  calendar_not_found: m.connections_not_found,
  calendar_not_a_calendar: m.connections_not_a_calendar,
  calendar_takes_no_events: m.connections_not_a_calendar,
  calendar_url_invalid: m.connections_url,
  calendar_moved: m.connections_url,
  calendar_address_refused: m.connections_url,
  calendar_unreachable: m.connections_unreachable,
  calendar_timeout: m.connections_unreachable,
  calendar_unavailable: m.connections_unreachable,
  calendar_tls_failed: m.connections_tls,
  calendar_throttled: m.connections_throttled,
  credentials_unreadable: m.connections_again,
  calendar_settings_missing: m.connections_again,
};

export const wordsOfReason = ({ code, detail }: { readonly code: string; readonly detail: string }): string =>
  words[code]?.() ?? detail;

/** Why a connection was refused. The detail of `calendar_refused` begins with the code of the provider. */
export function wordsOfRefusal(error: unknown): string {
  if (!(error instanceof Failure) || error.code !== 'calendar_refused') return wordsOf(error);
  const [code = '', ...rest] = error.message.split(': ');
  return wordsOfReason({ code, detail: rest.join(': ') || error.message });
}

/** Why a model was not connected. */
const modelWords: Readonly<Record<string, () => string>> = {
  wrong_key: m.connections_ai_wrong_key,
  unknown_model: m.connections_ai_unknown_model,
  unreachable: m.connections_ai_unreachable,
  timed_out: m.connections_ai_timed_out,
  rate_limited: m.connections_ai_limited,
  unusable: m.connections_ai_unusable,
};

/** Why a model was refused. The detail of `ai_connection_refused` begins with the reason. */
export function wordsOfModelRefusal(error: unknown): string | undefined {
  if (!(error instanceof Failure) || error.code !== 'ai_connection_refused') return wordsOutsideFields(error);
  return modelWords[error.message.split(': ')[0] ?? '']?.() ?? error.message;
}

/** A fault of a field stands there. */
const wordsOutsideFields = (error: unknown): string | undefined =>
  ['#/url', '#/model', '#/secrets'].some((pointer) => faultOf(error, pointer)) ? undefined : wordsOf(error);
