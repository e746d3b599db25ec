import { randomUUID } from 'node:crypto';
import type { Dependencies } from '../dependencies.ts';
import { type Claimed, type Contact, claimNext, type Taken } from './claim-next.ts';
import { type Fence, holdsShard } from './shard.repository.ts';
import { askContact, transact } from './transact.ts';

/**
 * `claimNext` for the pump that has the shard, with the lead's phone from crm when that is missing. Undefined: another
 * pump has it. `made` gets the claim before its commit, which may hold even when this throws.
 */
export async function claimOf(
  dependencies: Pick<Dependencies, 'database' | 'outcomes' | 'rpc' | 'circuit' | 'limits'>,
  fence: Fence,
  { storeId, leadId, deadline }: { readonly storeId: string; readonly leadId: string; readonly deadline: number },
  made: { claims: readonly Claimed[] },
): Promise<Taken | undefined> {
  const { circuit, limits } = dependencies;
  const next = (contact: Contact) =>
    transact(dependencies, { storeId, deadline }, async (sql, settled): Promise<Taken | undefined> => {
      if (!(await holdsShard(sql, fence))) return undefined;
      const taken = await claimNext(sql, { storeId, id: leadId }, { circuit, limits, contact, settled });
      if (taken.kind === 'claimed') made.claims = [taken.claimed];
      return taken;
    });
  const taken = await next(undefined);
  if (taken?.kind !== 'ask_contact') return taken;
  const context = { requestId: randomUUID(), storeId, deadline };
  return await next(await askContact(dependencies, context, leadId));
}
