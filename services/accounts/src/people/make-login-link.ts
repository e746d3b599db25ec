import type { TransactionSql } from '@mostrador/kit/database/database';
import { toTimestamp } from '@mostrador/kit/rpc/validate';
import { loginLinkForm } from '@mostrador/kit/tokens/token';
import type { Reach } from '../sessions/reach.ts';
import { insertLoginLink } from '../sessions/session.repository.ts';

/**
 * Makes a login link. The token stands behind `#`, so that it reaches no server's log and no `Referer`, and a program
 * that only looks at the address does not use it up.
 */
export async function makeLoginLink(
  sql: TransactionSql,
  options: { storeId: string; userId: string; reach: Reach; publicUrl: string; seconds: number },
): Promise<{ login_url: string; expires_at: string }> {
  const { publicUrl, ...link } = options;
  const { id, token, hash } = loginLinkForm.make();
  const expiresAt = await insertLoginLink(sql, { id, hash, ...link });
  return { login_url: `${publicUrl}/console/login#${token}`, expires_at: toTimestamp(expiresAt) };
}
