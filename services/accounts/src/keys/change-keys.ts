import type { Scope } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { apiKeyForm } from '@mostrador/kit/tokens/token';
import { appendAudit } from '../audit/audit.repository.ts';
import {
  expireApiKey,
  type FoundKey,
  findApiKey,
  insertApiKey,
  lockValidApiKey,
  revokeApiKeyRow,
} from './api-key.repository.ts';

/** The changes of keys, for both callers: the admin command, and an owner. Each change is in the audit log. */
export type KeyChange = {
  readonly sql: TransactionSql;
  readonly context: Context;
  readonly storeId: string;
  /** Null: the operator. */
  readonly actorId: string | null;
};

/** Makes a key. The token is shown once. */
export async function makeKey(
  { sql, context, storeId, actorId }: KeyChange,
  settings: { name: string; scopes: readonly Scope[] | null; expiresAt: string | null },
): Promise<{ token: string; key: FoundKey }> {
  const { id, token, hash } = apiKeyForm.make();
  await insertApiKey(sql, storeId, {
    id,
    keyHash: hash,
    name: settings.name,
    scopes: settings.scopes,
    expiresAt: settings.expiresAt === null ? null : toInstant(settings.expiresAt),
  });
  const details = settings.scopes ? { scopes: settings.scopes } : undefined;
  await appendAudit(sql, context, [{ storeId, actorId, action: 'key.created', subjectId: id, details }]);
  return { token, key: await read(sql, storeId, id) };
}

/** The new key has the old key's name, scopes and lifetime, counted from now. The old key ends after the overlap. */
export async function replaceKey(
  { sql, context, storeId, actorId }: KeyChange,
  { keyId, overlapSeconds }: { keyId: string; overlapSeconds: number },
): Promise<{ token: string; key: FoundKey; replaced: FoundKey }> {
  const old = await lockValidApiKey(sql, storeId, keyId);
  if (!old) throw new AppError('api_key_not_found', { detail: 'The key is revoked or expired. Create a new key.' });
  const { id, token, hash } = apiKeyForm.make();
  await insertApiKey(sql, storeId, {
    id,
    keyHash: hash,
    name: old.key.name,
    scopes: old.scopes,
    expiresAt: sameLifetime(old.key.created_at, old.key.expires_at),
  });
  await expireApiKey(sql, storeId, keyId, overlapSeconds);
  await appendAudit(sql, context, [
    { storeId, actorId, action: 'key.created', subjectId: id },
    { storeId, actorId, action: 'key.replaced', subjectId: keyId },
  ]);
  return { token, key: await read(sql, storeId, id), replaced: await read(sql, storeId, keyId) };
}

/** Revokes a key of the store. A second call keeps the time of the first. */
export async function revokeKey({ sql, context, storeId, actorId }: KeyChange, keyId: string): Promise<FoundKey> {
  if (!(await revokeApiKeyRow(sql, storeId, keyId))) throw new AppError('api_key_not_found');
  await appendAudit(sql, context, [{ storeId, actorId, action: 'key.revoked', subjectId: keyId }]);
  return await read(sql, storeId, keyId);
}

/** A key that this transaction has written, as it is now. */
const read = async (sql: TransactionSql, storeId: string, keyId: string): Promise<FoundKey> =>
  (await findApiKey(sql, storeId, keyId)) as FoundKey;

function sameLifetime(createdAt: string, expiresAt: string | null): Date | null {
  if (expiresAt === null) return null;
  return new Date(Date.now() + (toInstant(expiresAt).getTime() - toInstant(createdAt).getTime()));
}
