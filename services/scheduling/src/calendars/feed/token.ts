import { createHash, randomBytes } from 'node:crypto';

/** The secret in a feed's address: 256 bits, shown once. Only its hash is kept. */
export const newFeedToken = (): string => randomBytes(32).toString('base64url');

/** SHA-256; the token is random, so nothing slower is needed. */
export const hashFeedToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export const feedUrl = (publicUrl: string, token: string): string => `${publicUrl}/calendars/${token}.ics`;
