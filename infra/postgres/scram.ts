import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const iterations = 4096;

/**
 * What PostgreSQL stores of a password, in its form `SCRAM-SHA-256$…` (RFC 5803). A statement with it sets the password
 * and puts no password into the server's log.
 *
 * @param password printable ASCII: other texts would need SASLprep (RFC 4013), which PostgreSQL applies
 * @throws Error when the password has other characters
 */
export function scramVerifier(password: string, salt: Buffer = randomBytes(16)): string {
  if (!/^[\x20-\x7e]+$/.test(password)) throw new Error('a password of PostgreSQL must be printable ASCII');
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${stored}:${keyOf('Server Key').toString('base64')}`;
}
