import { createHash, randomBytes } from 'node:crypto';

/** The secret in the sandbox's address: 256 random bits. The service shows it once and stores only its hash. */
export const newSandboxToken = (): string => randomBytes(32).toString('base64url');

/** SHA-256. A slow hash is not needed, because the token is random. */
export const hashSandboxToken = (token: string): Buffer => createHash('sha256').update(token).digest();
