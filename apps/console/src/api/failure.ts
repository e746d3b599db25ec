import { m } from '../paraglide/messages.js';

/** What is wrong with one member of a body. */
export type Fault = { readonly pointer?: string; readonly detail: string };

/** A request that got an error, or no answer (`offline`). */
export class Failure extends Error {
  readonly code: string;
  readonly status: number;
  readonly faults: readonly Fault[];
  /** Other times, when the one that was asked for is taken. */
  readonly alternatives: readonly string[];

  constructor(code: string, status: number, reason: string, more: { faults?: Fault[]; alternatives?: string[] } = {}) {
    super(reason);
    this.code = code;
    this.status = status;
    this.faults = more.faults ?? [];
    this.alternatives = more.alternatives ?? [];
  }
}

/** What the answer says about the member of the body at this pointer, such as `#/url`. */
export const faultOf = (error: unknown, pointer: string): string | undefined =>
  error instanceof Failure ? error.faults.find((fault) => fault.pointer?.startsWith(pointer))?.detail : undefined;

/** Whether the next attempt may go well, without anything else that the person does. */
export const mayPass = (error: unknown): boolean =>
  !(error instanceof Failure) || error.status === 0 || error.status >= 500 || [408, 425, 429].includes(error.status);

/** Whether the person has to sign in. */
export const isSignedOut = (error: unknown): boolean => error instanceof Failure && error.code === 'invalid_session';

const words: Readonly<Record<string, () => string>> = {
  offline: m.error_offline,
  invalid_login_link: m.error_login_link,
  invalid_session: m.session_ended,
  invalid_credentials: m.error_credentials,
  wrong_password: m.error_wrong_password,
  proof_required: m.error_proof,
  passkey_rejected: m.error_passkey_rejected,
  passkey_unknown: m.error_passkey_unknown,
  passkey_cancelled: m.error_passkey_cancelled,
  passkey_there: m.error_passkey_there,
  oidc_not_configured: m.error_oidc_missing,
  oidc_unavailable: m.error_oidc_unavailable,
  oidc_failed: m.error_oidc_failed,
  oidc_cancelled: m.error_oidc_cancelled,
  oidc_email_unverified: m.error_oidc_unverified,
  oidc_refused: m.error_oidc_refused,
  role_required: m.error_role,
  api_key_not_found: m.error_key_gone,
  api_key_limit: m.error_key_limit,
  lead_not_found: m.error_lead_gone,
  seller_inactive: m.error_seller_inactive,
  message_not_queued: m.error_message_not_queued,
  user_session_not_found: m.error_session_gone,
  webhook_endpoint_limit: m.webhooks_error_limit,
  webhook_endpoint_not_found: m.webhooks_error_gone,
  webhook_delivery_not_found: m.webhooks_error_gone,
  webhook_replay_not_found: m.webhooks_error_gone,
  webhook_endpoint_not_enabled: m.webhooks_error_not_enabled,
  cursor_expired: m.webhooks_error_too_old,
  channel_not_connected: m.operations_not_connected,
  calendar_not_connected: m.connections_calendar_none,
  user_exists: m.team_error_exists,
  user_not_found: m.team_error_gone,
  user_disabled: m.team_error_disabled,
  last_owner: m.team_error_last_owner,
  seller_not_found: m.team_error_seller_gone,
  appointment_conflict: m.calendar_error_taken,
  outside_opening_hours: m.calendar_error_closed,
  service_not_found: m.calendar_error_service,
  service_inactive: m.calendar_error_service,
  seller_not_bookable: m.calendar_error_person,
};

/** What went wrong and what to do, in the language of the person. */
export function wordsOf(error: unknown): string {
  if (!(error instanceof Failure)) return m.error_other({ reason: String((error as Error)?.message ?? error) });
  const known = words[error.code];
  if (known) return known();
  if (error.status === 429) return m.error_too_many();
  if (error.status >= 500) return m.error_unavailable();
  return m.error_other({ reason: error.message });
}
