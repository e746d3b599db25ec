import type { Context } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { hashToken } from '@mostrador/kit/tokens/token';
import { findSandbox, type SandboxRow } from '../channels/sandbox/sandbox.repository.ts';
import type { Dependencies } from '../dependencies.ts';

/** The connected sandbox whose address has this token. Throws `sandbox_not_found`. */
export async function requireSandbox(
  { systemDatabase, telephone: { writesAs, days } }: Pick<Dependencies, 'systemDatabase' | 'telephone'>,
  context: Pick<Context, 'deadline'>,
  token: string,
): Promise<SandboxRow> {
  if (writesAs === 'off') {
    const detail = 'This platform has no sandbox telephones. Its operator allows them with `SANDBOX_TELEPHONE`.';
    throw new AppError('sandbox_not_found', { detail });
  }
  const sandbox = await systemDatabase.read(context, (sql) => findSandbox(sql, hashToken(token), days));
  if (!sandbox) throw new AppError('sandbox_not_found');
  if (sandbox.is_expired) {
    const detail = 'The address has expired. Connect the sandbox again.';
    throw new AppError('sandbox_not_found', { detail });
  }
  return sandbox;
}
