import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { hashToken } from '@mostrador/kit/tokens/token';
import { findSandbox, type SandboxRow } from '../channels/sandbox/sandbox.repository.ts';
import type { Dependencies } from '../dependencies.ts';

/** The connected sandbox whose address has this token. Throws `sandbox_not_found`. */
export async function requireSandbox(
  { systemDatabase }: Pick<Dependencies, 'systemDatabase'>,
  context: Pick<Context, 'deadline'>,
  token: string,
): Promise<SandboxRow> {
  const sandbox = await systemDatabase.read(context, (sql) => findSandbox(sql, hashToken(token)));
  if (!sandbox) throw new AppError('sandbox_not_found');
  return sandbox;
}
