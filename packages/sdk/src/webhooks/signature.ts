/** Why a request is no webhook of the endpoint. */
export type WebhookFault =
  | 'header_missing'
  | 'header_malformed'
  | 'signature_mismatch'
  | 'timestamp_too_old'
  | 'timestamp_too_new'
  | 'body_malformed';

/** The request is not what the server signed for this endpoint: answer 401, and do nothing. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
  readonly code: WebhookFault;

  constructor(code: WebhookFault, message: string) {
    super(message);
    this.code = code;
  }
}

/** Headers as `fetch` has them, or as Node has them. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export type VerifyOptions = {
  /** How far the timestamp may be from now, in both directions. Default: 300. */
  readonly toleranceSeconds?: number;
};

/**
 * Verifies the signature of a request by Standard Webhooks: one of its signatures must fit one of the secrets, and its
 * timestamp must be near.
 *
 * @param body the bytes as they came, or the same as text, before any parsing
 * @param secrets `whsec_…` of the endpoint, or its `whpk_…` (`public_key`). Several during a rotation.
 * @throws {WebhookVerificationError} the request is not from the server, or too old
 * @throws {TypeError} a secret or the body is no such value: a mistake in the program
 */
export async function verify(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300 }: VerifyOptions = {},
): Promise<void> {
  const keys = await Promise.all([secrets].flat().map(importKey));
  if (keys.length === 0) throw new TypeError('`secrets` must have at least one secret.');
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    headerOf(headers, name),
  ) as [string, string, string];
  if (!/^\d{1,12}$/.test(timestamp))
    throw new WebhookVerificationError('header_malformed', '`webhook-timestamp` is no number of seconds.');
  const content = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytesOf(body));
  if (!(await hasFitting(signatures.split(' '), keys, content)))
    throw new WebhookVerificationError(
      'signature_mismatch',
      'No signature fits. Check that the secret is of this endpoint, and that the body is unchanged.',
    );
  const ageSeconds = Date.now() / 1000 - Number(timestamp);
  if (Math.abs(ageSeconds) <= toleranceSeconds) return;
  const [code, what] =
    ageSeconds > 0 ? (['timestamp_too_old', 'behind'] as const) : (['timestamp_too_new', 'ahead of'] as const);
  const seconds = Math.round(Math.abs(ageSeconds));
  throw new WebhookVerificationError(
    code,
    `The timestamp is ${seconds} s ${what} the clock here. ${toleranceSeconds} s are allowed.`,
  );
}

type Key = { readonly version: 'v1' | 'v1a'; readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>> };

const secretKinds = {
  whsec: { version: 'v1', algorithm: { name: 'HMAC', hash: 'SHA-256' } },
  whpk: { version: 'v1a', algorithm: { name: 'Ed25519' } },
} as const;

/** Never repeats the secret in an error. */
async function importKey(secret: string): Promise<Key> {
  const [, kind, text = ''] = /^(whsec|whpk)_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  try {
    const { version, algorithm } = secretKinds[kind as keyof typeof secretKinds];
    return { version, key: await crypto.subtle.importKey('raw', bytesOfBase64(text), algorithm, false, ['verify']) };
  } catch {
    throw new TypeError('A secret must be `whsec_…` or `whpk_…`, as the API gave it.');
  }
}

/** `verify` of Web Crypto compares in constant time. */
async function hasFitting(signatures: readonly string[], keys: readonly Key[], content: Uint8Array<ArrayBuffer>) {
  for (const signature of signatures) {
    const [, version, text = ''] = /^(\w+),([A-Za-z0-9+/]+={0,2})$/.exec(signature) ?? [];
    for (const { key } of keys.filter((each) => each.version === version)) {
      const fits = await crypto.subtle.verify(key.algorithm.name, key, bytesOfBase64(text), content).catch(() => false);
      if (fits) return true;
    }
  }
  return false;
}

function headerOf(headers: WebhookHeaders, name: string): string {
  const value =
    typeof headers.get === 'function'
      ? headers.get(name)
      : Object.entries(headers).find(([each]) => each.toLowerCase() === name)?.[1];
  if (typeof value === 'string' && value !== '') return value;
  throw new WebhookVerificationError('header_missing', `The header \`${name}\` is missing.`);
}

function bytesOf(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  if (body instanceof Uint8Array) return body;
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  throw new TypeError('`body` must be the bytes of the request as they came, or the same as text: not parsed JSON.');
}

function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const both = new Uint8Array(one.length + other.length);
  both.set(one);
  both.set(other, one.length);
  return both;
}
