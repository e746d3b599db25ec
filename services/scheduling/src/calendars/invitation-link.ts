import { dayMs, minuteMs } from '@mostrador/hours/local-days';
import type { Vault } from '@mostrador/kit/clients/secrets';

/** Whose invitation a link is. */
export type Invited = { readonly storeId: string; readonly appointmentId: string };

const purpose = 'link to an invitation';
const idBytes = 16;
/** 48 bytes in base64url. No token of a feed is as long. */
const form = /^[A-Za-z0-9_-]{64}$/;

/** So long after its end the link of an appointment leads nowhere. */
const readableMs = 30 * dayMs;

/** The address where a customer’s calendar gets the appointment. It is the only credential, and can be made again at any time. */
export function invitationUrl(vault: Vault, publicUrl: string, { storeId, appointmentId }: Invited): string {
  const ids = Buffer.from(`${storeId}${appointmentId}`.replaceAll('-', ''), 'hex');
  return `${publicUrl}/calendars/${Buffer.concat([ids, vault.sign(ids, purpose)]).toString('base64url')}.ics`;
}

/** What a token of such an address names. Undefined: Mostrador has not made it. */
export function readInvitationToken(vault: Vault, token: string): Invited | undefined {
  if (!form.test(token)) return undefined;
  const bytes = Buffer.from(token, 'base64url');
  const ids = bytes.subarray(0, 2 * idBytes);
  if (!vault.isSigned(ids, bytes.subarray(2 * idBytes), purpose)) return undefined;
  return { storeId: uuidOf(ids.subarray(0, idBytes)), appointmentId: uuidOf(ids.subarray(idBytes)) };
}

/** Whether the link of an appointment still leads to it. */
export const isInvitationReadable = (
  { scheduled_at, duration_minutes }: { readonly scheduled_at: Date; readonly duration_minutes: number },
  now: Date,
): boolean => now.getTime() < scheduled_at.getTime() + duration_minutes * minuteMs + readableMs;

const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
