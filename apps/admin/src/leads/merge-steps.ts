import { setTimeout as pause } from 'node:timers/promises';
import {
  finishMerge,
  type LeadMerge,
  listUnfinishedMerges,
  mergeConversations,
  mergeLead,
  mergeLeadScheduling,
  type Operation,
  type ReplyOf,
  type RequestOf,
} from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { Admin } from '../admin.ts';
import { createRetrying, PlatformAway } from './retrying.ts';

/** A merge and how many rows this run has moved. `finished` is false after a dry run. */
export type Merge = LeadMerge & {
  finished: boolean;
  messages: number;
  appointments: number;
  followups: number;
};

/** A transaction in PostgreSQL may end this long after the deadline of its request. */
const afterDeadlineMs = 250;
const patienceMs = 60_000;

export async function unfinishedMerges(admin: Admin, storeId: string): Promise<LeadMerge[]> {
  return (await admin.platform.call(listUnfinishedMerges, {}, storeId)).merges;
}

/** What `runMerges` would do. Throws the error of the first merge that is not possible. */
export async function checkMerges(admin: Admin, storeId: string, pairs: readonly LeadMerge[]): Promise<Merge[]> {
  const merges: Merge[] = [];
  for (const pair of pairs) {
    const answer = await admin.platform.call(mergeLead, { body: { ...pair, dry_run: true } }, storeId);
    merges.push(toMerge(answer));
  }
  return merges;
}

/**
 * Merges leads: in crm, then messaging, then scheduling, each in one transaction that can be repeated. A request that
 * found a lead in crm before may still write under its id until its deadline. So the rest of these rows is moved after
 * that, and only then is a merge finished.
 */
export async function runMerges(
  admin: Admin,
  storeId: string,
  pairs: readonly LeadMerge[],
  { waitMs, quiet }: { readonly waitMs: number; readonly quiet: boolean },
): Promise<Merge[]> {
  const call = patientCall(admin, storeId);
  const tell = (line: string) => quiet || admin.terminal.note(line);
  const move = async (merge: Merge) => {
    const request = { body: { lead_id: merge.lead_id, merged_into: merge.merged_into } };
    const { messages } = await call(mergeConversations, request);
    tell(`${merge.lead_id}: ${messages} messages moved`);
    const { appointments, followups } = await call(mergeLeadScheduling, request);
    tell(`${merge.lead_id}: ${appointments} appointments and ${followups} follow-ups moved`);
    merge.messages += messages;
    merge.appointments += appointments;
    merge.followups += followups;
  };
  const merges: Merge[] = [];
  for (const pair of pairs) {
    const merge = toMerge(await call(mergeLead, { body: pair }));
    merges.push(merge);
    if (merge.finished) continue;
    tell(`${merge.lead_id}: merged into ${merge.merged_into} in crm`);
    await move(merge);
  }
  const open = merges.filter(({ finished }) => !finished);
  if (open.length === 0) return merges;

  const seconds = (waitMs + afterDeadlineMs) / 1000;
  tell(`waiting ${seconds} s until every request has ended that began before: its deadline, and 0.25 s to commit`);
  await pause(waitMs + afterDeadlineMs);
  for (const merge of open) {
    await move(merge);
    await call(finishMerge, { body: { lead_id: merge.lead_id } });
    merge.finished = true;
    tell(`${merge.lead_id}: finished`);
  }
  return merges;
}

const toMerge = ({ lead_id, merged_into, finished_at }: ReplyOf<typeof mergeLead>): Merge => ({
  lead_id,
  merged_into,
  finished: finished_at !== null,
  messages: 0,
  appointments: 0,
  followups: 0,
});

/** Repeats each call for up to a minute while a service does not answer or the lead is busy. */
function patientCall(admin: Admin, storeId: string) {
  const { signal } = new AbortController();
  return async <O extends Operation>(operation: O, request: RequestOf<O>): Promise<ReplyOf<O>> => {
    const retrying = createRetrying({ giveUpAfterMs: patienceMs, signal, onRetry: () => {} });
    try {
      return await retrying(() => admin.platform.call(operation, request, storeId));
    } catch (error) {
      if (!(error instanceof PlatformAway && error.cause instanceof AppError)) throw error;
      const { code, detail } = error.cause;
      throw new AppError(code, { detail: `${detail} Run the same command again: it continues where it stopped.` });
    }
  };
}
