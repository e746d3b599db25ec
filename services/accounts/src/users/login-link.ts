import type { StoreUser } from '@mostrador/contracts';
import type { TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { loginLinkForm } from '@mostrador/kit/tokens/token';
import { insertLoginLink } from '../sessions/session.repository.ts';

/**
 * Makes a login link. The token stands behind `#`, so that it reaches no server's log and no `Referer`, and a program
 * that only looks at the address does not use the link up.
 */
export async function makeLoginLink(
  sql: TransactionSql,
  options: { user: StoreUser; publicUrl: string; seconds: number },
): Promise<{ user: StoreUser; login_url: string; expires_at: string }> {
  const { user, publicUrl, seconds } = options;
  const { id, token, hash } = loginLinkForm.make();
  const expiresAt = await insertLoginLink(sql, { id, hash, storeId: user.store_id, userId: user.id, seconds });
  return { user, login_url: `${publicUrl}/console/login#${token}`, expires_at: toTimestamp(expiresAt) };
}
