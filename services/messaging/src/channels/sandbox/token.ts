import { createHash, randomBytes } from 'node:crypto';

/** The secret in the sandbox's address: 256 bits, shown once. Only its hash is kept. */
export const newSandboxToken = (): string => randomBytes(32).toString('base64url');

/** SHA-256; the token is random, so nothing slower is needed. */
export const hashSandboxToken = (token: string): Buffer => createHash('sha256').update(token).digest();
