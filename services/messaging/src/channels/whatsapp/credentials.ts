/** The secrets of a WhatsApp channel. */
export type WhatsappCredentials = {
  readonly access_token: string;
  readonly app_secret: string;
  readonly verify_token: string;
  /** The previous app secret. Webhooks in flight may still be signed with it. */
  readonly previous_app_secret?: { readonly secret: string; readonly valid_until_ms: number };
};

const overlapMs = 24 * 3_600_000;

/** The new credentials. A replaced app secret stays valid for signatures for 24 hours, or until the next change. */
export function replaceCredentials(
  wanted: Omit<WhatsappCredentials, 'previous_app_secret'>,
  old: WhatsappCredentials | undefined,
  nowMs: number,
): WhatsappCredentials {
  if (!old || old.app_secret === wanted.app_secret) return wanted;
  return { ...wanted, previous_app_secret: { secret: old.app_secret, valid_until_ms: nowMs + overlapMs } };
}

/** The app secrets that are valid for signatures now, the newest first. */
export function appSecretsOf(
  { app_secret, previous_app_secret: previous }: WhatsappCredentials,
  nowMs: number,
): string[] {
  return previous && nowMs < previous.valid_until_ms ? [app_secret, previous.secret] : [app_secret];
}
