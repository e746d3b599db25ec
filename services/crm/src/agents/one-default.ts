import { type Database, isUniqueViolation, type StoreScope } from '@mostrador/kit/database/database';
import { AppError } from '@mostrador/kit/rpc/errors';
import { findDefaultAgentId } from './agent.repository.ts';

/** Translates a failed write: throws `default_agent_exists` for a second default agent, else the error itself. */
export async function throwSecondDefault(database: Database, scope: StoreScope, error: unknown): Promise<never> {
  if (!isUniqueViolation(error, 'agents_default')) throw error;
  const id = await database.read(scope, (sql) => findDefaultAgentId(sql, scope.storeId));
  throw new AppError('default_agent_exists', {
    detail: `The store already has the default agent ${id}. Clear its \`is_default\` first.`,
    members: { id },
  });
}
