import type { rotateApiKey as operation } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Handler } from '@mostrador/kit/rpc/server';
import { toInstant } from '@mostrador/kit/rpc/validate';
import { apiKeyForm } from '@mostrador/kit/tokens/token';
import type { Dependencies } from '../dependencies.ts';
import { expireApiKey, findStoreOfKey, insertApiKey, lockValidApiKey } from './api-key.repository.ts';

const defaultOverlapSeconds = 86_400;

/** The new key has the old key's name, scopes and lifetime, counted from now. The old key ends after the overlap. */
export const rotateApiKey =
  ({ database, systemDatabase, announceAccessChange }: Dependencies): Handler<typeof operation> =>
  async (context, { body: { key_id: keyId, overlap_seconds: overlapSeconds = defaultOverlapSeconds } }) => {
    const storeId = await systemDatabase.read(context, (sql) => findStoreOfKey(sql, keyId));
    if (!storeId) throw new AppError('api_key_not_found');
    const { id, token, hash } = apiKeyForm.make();

    const rotated = await database.write({ storeId, deadline: context.deadline }, async (sql) => {
      const old = await lockValidApiKey(sql, storeId, keyId);
      if (!old) throw new AppError('api_key_not_found', { detail: 'The key is revoked or expired. Create a new key.' });
      const key = await insertApiKey(sql, storeId, {
        id,
        keyHash: hash,
        name: old.key.name,
        scopes: old.scopes,
        expiresAt: sameLifetime(old.key.created_at, old.key.expires_at),
      });
      return { api_key: token, key, replaced: await expireApiKey(sql, storeId, keyId, overlapSeconds) };
    });
    announceAccessChange();
    return rotated;
  };

function sameLifetime(createdAt: string, expiresAt: string | null): Date | null {
  if (expiresAt === null) return null;
  return new Date(Date.now() + (toInstant(expiresAt).getTime() - toInstant(createdAt).getTime()));
}
