import { deviceDays } from '@mostrador/contracts';
import type { SystemDatabase, TransactionSql } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { deviceForm, hasHash, hashToken } from '@mostrador/kit/tokens/token';
import { findDevices, keepDevice, purgeDevices } from './device.repository.ts';

/** The browsers that are kept of one person. */
const mostDevices = 20;

/**
 * The id of the browser that asks, if this person has given their password in it before. OWASP calls it a device cookie.
 * Its token is random and only its hash is stored, so no token can be forged. A new password ends it.
 */
export async function ownDevice(
  systemDatabase: SystemDatabase,
  context: Context,
  userId: string | undefined,
): Promise<string | undefined> {
  const token = context.client?.device ?? '';
  const id = deviceForm.idOf(token);
  if (id === undefined) return undefined;
  // Also for an address that no person has, so that the time tells nothing.
  const devices = await systemDatabase.read(context, (sql) => findDevices(sql, id));
  return devices.some(({ user_id, token_hash }) => user_id === userId && hasHash(token, token_hash)) ? id : undefined;
}

/** Keeps the browser in which a person has just given their password. Returns the token for its cookie. */
export async function rememberDevice(sql: TransactionSql, context: Context, userId: string): Promise<string> {
  const given = context.client?.device ?? '';
  const id = deviceForm.idOf(given);
  const known = id === undefined ? [] : await findDevices(sql, id);
  const isKnown = known.some(({ token_hash }) => hasHash(given, token_hash));
  const device = id !== undefined && isKnown ? { id, token: given, hash: hashToken(given) } : deviceForm.make();
  await keepDevice(sql, { ...device, userId, most: mostDevices });
  return device.token;
}

export const purgeOldDevices = (sql: TransactionSql, limit: number): Promise<number> =>
  purgeDevices(sql, deviceDays, limit);
