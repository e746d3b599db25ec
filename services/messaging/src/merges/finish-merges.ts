import { randomUUID } from 'node:crypto';
import { finishMerge, mergeLeadScheduling } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import type { Dependencies } from '../dependencies.ts';
import { findUnfinishedMerges, markFinished, type UnfinishedMerge } from '../identities/identity-change.repository.ts';
import { moveConversation } from './merge-conversations.ts';

type Tools = Pick<Dependencies, 'database' | 'systemDatabase' | 'rpc' | 'relay'> & { readonly log: Log };

const limitMs = 10_000;
const batch = 50;

/**
 * Takes the last step of merges that a changed number caused: what late requests wrote for the merged lead moves, too. One
 * that fails is tried again by the next run. Returns how many it finished.
 */
export async function finishMerges(tools: Tools, signal: AbortSignal): Promise<number> {
  const scope = { deadline: Date.now() + limitMs };
  const due = await tools.systemDatabase.read(scope, (sql) => findUnfinishedMerges(sql, batch));
  let finished = 0;
  for (const merge of due) {
    if (signal.aborted) break;
    try {
      await finish(tools, merge);
      finished += 1;
    } catch (error) {
      tools.log.warn({ err: error, store_id: merge.store_id }, 'a merge of leads could not be finished yet');
    }
  }
  return finished;
}

async function finish({ database, rpc, relay }: Tools, merge: UnfinishedMerge): Promise<void> {
  const { store_id: storeId, merged_lead_id: lead_id, lead_id: merged_into } = merge;
  const context = { storeId, deadline: Date.now() + limitMs, requestId: randomUUID() };
  await database.write(context, (sql) => moveConversation(sql, storeId, { goneId: lead_id, keptId: merged_into }));
  await rpc.call(mergeLeadScheduling, { body: { lead_id, merged_into } }, context);
  await rpc.call(finishMerge, { body: { lead_id } }, context);
  await database.write(context, (sql) =>
    markFinished(sql, storeId, { channelId: merge.channel_id, eventId: merge.event_id }),
  );
  relay.nudge();
}
