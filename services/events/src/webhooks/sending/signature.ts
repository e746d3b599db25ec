import { createPrivateKey, sign as signWith } from 'node:crypto';
import { Webhook } from 'standardwebhooks';

/** What signs the events of an endpoint: a secret `whsec_…`, and the private key `whsk_…` of an ed25519 pair. */
export type SigningKeys = { readonly secret: string; readonly privateKey?: string };

/**
 * The headers of Standard Webhooks. Each of `keys` signs, so that a receiver which knows one of them can verify:
 * `v1` is HMAC-SHA256, `v1a` is ed25519.
 */
export function signatureHeaders(
  keys: readonly SigningKeys[],
  message: { readonly id: string; readonly at: Date; readonly body: string },
): Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string> {
  const { id, at, body } = message;
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signatures = keys.flatMap(({ secret, privateKey }) => [
    new Webhook(secret).sign(id, at, body),
    ...(privateKey === undefined ? [] : [signEd25519(privateKey, `${id}.${timestamp}.${body}`)]),
  ]);
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** The start of a PKCS #8 document that holds an ed25519 key (RFC 8410, section 7). The 32 bytes of the key follow. */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

function signEd25519(privateKey: string, content: string): string {
  const seed = Buffer.from(privateKey.replace(/^whsk_/, ''), 'base64');
  const key = createPrivateKey({ key: Buffer.concat([pkcs8Prefix, seed]), format: 'der', type: 'pkcs8' });
  return `v1a,${signWith(null, Buffer.from(content), key).toString('base64')}`;
}
