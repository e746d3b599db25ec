import { createHash, randomBytes } from 'node:crypto';

/** The secret in the sandbox's address: 256 random bits. It is found by its hash, and stored encrypted. */
export const newSandboxToken = (): string => randomBytes(32).toString('base64url');

/** SHA-256. A slow hash is not needed, because the token is random. */
export const hashSandboxToken = (token: string): Buffer => createHash('sha256').update(token).digest();
