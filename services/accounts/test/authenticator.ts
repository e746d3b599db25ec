import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

type Options = Record<string, unknown>;

const sha256 = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest();
const text = (bytes: Buffer) => bytes.toString('base64url');

/** A head of CBOR (RFC 8949): the major type and a number. */
const head = (type: number, value: number): Buffer =>
  value < 24
    ? Buffer.from([(type << 5) | value])
    : value < 256
      ? Buffer.from([(type << 5) | 24, value])
      : Buffer.from([(type << 5) | 25, value >> 8, value & 255]);
const integer = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value]);
const string = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (...pairs: Buffer[]) => Buffer.concat([head(5, pairs.length / 2), ...pairs]);

/**
 * A phone with a passkey, in software: WebAuthn level 3, ES256, attestation `none`. A test in Chromium uses a real one;
 * this one can also lie.
 */
export function createAuthenticator({ rpId, origin }: { rpId: string; origin: string }) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let counter = 0;
  let userHandle = '';
  const clientData = (type: string, challenge: unknown) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  /** User present and verified; with a new credential also its data. */
  const data = (flags: number, credential = Buffer.alloc(0)) => {
    counter += 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, credential]);
  };
  return {
    id: text(id),
    /** Sets the counter, as a copy of the phone has it. */
    rewind: (to: number) => {
      counter = to;
    },
    create(options: Options, { verified = true } = {}): Record<string, unknown> {
      userHandle = (options.user as { id: string }).id;
      const key = map(
        ...[integer(1), integer(2), integer(3), integer(-7), integer(-1), integer(1)],
        ...[integer(-2), bytes(Buffer.from(x, 'base64url')), integer(-3), bytes(Buffer.from(y, 'base64url'))],
      );
      const credential = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, key]);
      const authData = data(verified ? 0x45 : 0x41, credential);
      const attestation = map(
        string('fmt'),
        string('none'),
        string('attStmt'),
        map(),
        string('authData'),
        bytes(authData),
      );
      return {
        ...{ id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: text(clientData('webauthn.create', options.challenge)),
          attestationObject: text(attestation),
          transports: ['internal', 'hybrid', 'Not A Transport'],
        },
      };
    },
    answer(options: Options): Record<string, unknown> {
      const client = clientData('webauthn.get', options.challenge);
      const authenticatorData = data(0x05);
      const signature = sign('sha256', Buffer.concat([authenticatorData, sha256(client)]), privateKey);
      return {
        ...{ id: text(id), rawId: text(id), type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: text(client),
          authenticatorData: text(authenticatorData),
          signature: text(signature),
          userHandle,
        },
      };
    },
  };
}
