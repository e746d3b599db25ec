import { createHmac, generateKeyPairSync, sign as signEd25519 } from 'node:crypto';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verify, WebhookVerificationError } from './signature.ts';
import { webhooks } from './webhooks.ts';

const secretOf = (bytes: Uint8Array) => `whsec_${Buffer.from(bytes).toString('base64')}`;
const secret = secretOf(Buffer.alloc(32, 7));
const otherSecret = secretOf(Buffer.alloc(32, 8));
const nowSeconds = () => Math.floor(Date.now() / 1000);
const event = { id: 'e-1', type: 'lead.created', sequence: 1 };
const sentBody = JSON.stringify(event);

type Signed = { id?: string; timestamp?: number | string; body?: string | Uint8Array; secrets?: string[] };

/** The headers that the server sends: a signature for each secret. */
function headersOf({ id = 'e-1', timestamp = nowSeconds(), body = sentBody, secrets = [secret] }: Signed = {}) {
  const signatures = secrets.map((each) => {
    const mac = createHmac('sha256', Buffer.from(each.slice(6), 'base64'));
    return `v1,${mac.update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

const codeOf = (verification: Promise<unknown>): Promise<string> =>
  verification.then(
    () => 'accepted',
    (error) => (error instanceof WebhookVerificationError ? error.code : `${error.name}: ${error.message}`),
  );

describe('what the server signed is accepted', () => {
  test('as text, as bytes, with headers of any kind, and the event is returned', async () => {
    const headers = headersOf();
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]));
    for (const body of [sentBody, Buffer.from(sentBody), new TextEncoder().encode(sentBody).buffer])
      for (const each of [headers, new Headers(headers), shouted])
        expect(await webhooks.unwrap(body, each, secret)).toEqual(event);
  });

  test('whatever the body, the id and the secret are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.uuid(),
        fc.uint8Array({ minLength: 24, maxLength: 64 }),
        async (body, id, key) => {
          const headers = headersOf({ id, body, secrets: [secretOf(key)] });
          expect(await codeOf(verify(body, headers, secretOf(key)))).toBe('accepted');
        },
      ),
    );
  });

  test.each([
    ['the receiver knows the old secret', [otherSecret]],
    ['the receiver knows the new secret', [secret]],
    ['the receiver knows both', [secret, otherSecret]],
  ])('during a rotation, when %s', async (_, secrets) => {
    const headers = headersOf({ secrets: [secret, otherSecret] });
    expect(await codeOf(verify(sentBody, headers, secrets))).toBe('accepted');
  });

  test('with the public key of the endpoint, beside signatures of kinds that this version does not know', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const raw = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
    const headers = headersOf({ secrets: [otherSecret] });
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${sentBody}`;
    const own = `v1a,${signEd25519(null, Buffer.from(content), privateKey).toString('base64')}`;
    const signature = `v2,AAAA ${headers['webhook-signature']} ${own}`;
    const publicText = `whpk_${raw.toString('base64')}`;
    const sent = { ...headers, 'webhook-signature': signature };
    expect(await codeOf(verify(sentBody, sent, publicText))).toBe('accepted');
    expect(await codeOf(verify(`${sentBody} `, sent, publicText))).toBe('signature_mismatch');
  });
});

describe('anything else is refused with its reason', () => {
  const signed = headersOf();
  const [, mac = ''] = signed['webhook-signature'].split(',');
  const cases: [
    what: string,
    body: string,
    headers: Record<string, string | undefined>,
    secrets: string,
    code: string,
  ][] = [
    ['no headers', sentBody, {}, secret, 'header_missing'],
    ['no id', sentBody, { ...signed, 'webhook-id': undefined }, secret, 'header_missing'],
    ['no timestamp', sentBody, { ...signed, 'webhook-timestamp': undefined }, secret, 'header_missing'],
    ['no signature', sentBody, { ...signed, 'webhook-signature': '' }, secret, 'header_missing'],
    ['a timestamp that is none', sentBody, { ...signed, 'webhook-timestamp': '1e9' }, secret, 'header_malformed'],
    ['another secret', sentBody, signed, otherSecret, 'signature_mismatch'],
    ['another id', sentBody, { ...signed, 'webhook-id': 'e-2' }, secret, 'signature_mismatch'],
    ['a body that was parsed and written again', `${sentBody}\n`, signed, secret, 'signature_mismatch'],
    ['a signature without a version', sentBody, { ...signed, 'webhook-signature': mac }, secret, 'signature_mismatch'],
    ['no base64', sentBody, { ...signed, 'webhook-signature': 'v1,%%%' }, secret, 'signature_mismatch'],
    [
      'half of the signature',
      sentBody,
      { ...signed, 'webhook-signature': `v1,${mac.slice(0, 20)}` },
      secret,
      'signature_mismatch',
    ],
    [
      'the signature as another version',
      sentBody,
      { ...signed, 'webhook-signature': `v1a,${mac}` },
      secret,
      'signature_mismatch',
    ],
    ['an old request', sentBody, headersOf({ timestamp: nowSeconds() - 330 }), secret, 'timestamp_too_old'],
    ['a clock that is behind', sentBody, headersOf({ timestamp: nowSeconds() + 330 }), secret, 'timestamp_too_new'],
    ['a body that is no JSON', 'hello', headersOf({ body: 'hello' }), secret, 'body_malformed'],
  ];
  test.each(cases)('%s', async (_, body, headers, secrets, code) => {
    expect(await codeOf(webhooks.unwrap(body, headers, secrets))).toBe(code);
  });

  test('one changed bit of body, id, timestamp or signature', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('body', 'webhook-id', 'webhook-timestamp', 'webhook-signature' as const),
        fc.nat(),
        fc.integer({ min: 0, max: 6 }),
        async (place, index, bit) => {
          const parts = { body: sentBody, ...headersOf() };
          const bytes = Buffer.from(parts[place]);
          const at = place === 'webhook-signature' ? 3 + (index % (bytes.length - 5)) : index % bytes.length;
          bytes[at] = (bytes[at] ?? 0) ^ (1 << bit);
          const { body, ...headers } = { ...parts, [place]: bytes.toString('latin1') };
          expect(await codeOf(verify(body, headers, secret))).toMatch(/^(header_malformed|signature_mismatch)$/);
        },
      ),
    );
  });

  test('the tolerance can be chosen', async () => {
    const headers = headersOf({ timestamp: nowSeconds() - 3600 });
    expect(await codeOf(verify(sentBody, headers, secret, { toleranceSeconds: 7200 }))).toBe('accepted');
    expect(
      await codeOf(verify(sentBody, headersOf({ timestamp: nowSeconds() - 20 }), secret, { toleranceSeconds: 10 })),
    ).toBe('timestamp_too_old');
  });
});

describe('a mistake of the program is no wrong request', () => {
  test.each([
    ['', ''],
    ['a secret without its prefix', secret.slice(6)],
    ['a secret that is no base64', 'whsec_???'],
    ['no secret', undefined as unknown as string],
    ['an API key', 'mk_live_secret0secret'],
  ])('%s', async (_, wrong) => {
    const error = await verify(sentBody, headersOf(), [secret, wrong]).catch((each) => each);
    expect(error).toEqual(new TypeError('A secret must be `whsec_…` or `whpk_…`, as the API gave it.'));
    if (wrong) expect(inspect(error, { depth: 5 })).not.toContain(wrong);
  });

  test('no secrets, and a body that was parsed', async () => {
    await expect(verify(sentBody, headersOf(), [])).rejects.toThrow('at least one secret');
    await expect(verify(event as never, headersOf(), secret)).rejects.toThrow('not parsed JSON');
  });
});
