import { m } from '../paraglide/messages.js';

/** A request that got an error, or no answer (`offline`). */
export class Failure extends Error {
  readonly code: string;
  readonly status: number;

  constructor(code: string, status: number, reason: string) {
    super(reason);
    this.code = code;
    this.status = status;
  }
}

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
  role_required: m.error_role,
  api_key_not_found: m.error_key_gone,
  lead_not_found: m.error_lead_gone,
  seller_inactive: m.error_seller_inactive,
  message_not_queued: m.error_message_not_queued,
  user_session_not_found: m.error_session_gone,
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
