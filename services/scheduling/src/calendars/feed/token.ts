import { createHash, randomBytes } from 'node:crypto';

/** The secret in a feed's address: 256 random bits. It is found by its hash, and stored encrypted. */
export const newFeedToken = (): string => randomBytes(32).toString('base64url');

/** SHA-256 is enough, because the token is random. */
export const hashFeedToken = (token: string): Buffer => createHash('sha256').update(token).digest();

export const feedUrl = (publicUrl: string, token: string): string => `${publicUrl}/calendars/${token}.ics`;
