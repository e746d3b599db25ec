import {
  deliveryShardId,
  deliveryShardOf,
  deliveryShards,
  deliveryShardWorkflow,
} from '@mostrador/contracts/workflows';
import type { Invariant } from './invariant.ts';
import type { Seen } from './seen.ts';

const done = {
  sync: new Set(['synced']),
  message: new Set(['received', 'sent', 'delivered', 'read', 'failed']),
  followup: new Set(['sent', 'failed', 'cancelled']),
};

/** Invariants of the entity workflows and of the rows that they serve. */
export const ofWorkflows: readonly Invariant[] = [
  {
    name: 'every unfinished row has an open workflow',
    verdict: 'broken',
    find: (_, seen) => {
      const open = openOnes(seen);
      return unfinished(seen).flatMap(({ what, workflow }) =>
        open.has(workflow) ? [] : `${what}, but ${workflow} is not open`,
      );
    },
  },
  {
    name: 'all work that can finish has finished',
    verdict: 'lost',
    find: (_, seen) => [
      ...unfinished(seen).flatMap(({ what, waitsForItsTime }) => (waitsForItsTime ? [] : what)),
      ...seen.syncs
        .filter(({ state }) => state === null)
        .map(({ appointment_id: id }) => `the appointment ${id} has no calendar sync`),
    ],
  },
  {
    name: 'every appointment and every follow-up had a workflow',
    verdict: 'broken',
    find: (_, { rows, workflows }) => {
      const known = new Set(workflows.map(({ id }) => id));
      return rows.flatMap(({ kind, id }) => {
        const workflow = kind === 'booking' ? 'appointment' : kind;
        return (workflow === 'appointment' || workflow === 'followup') && !known.has(`${workflow}:${id}`)
          ? `the ${kind} ${id} had none`
          : [];
      });
    },
  },
  {
    name: 'no workflow has failed, lacks its row, or stays open without work',
    verdict: 'broken',
    find: (_, seen) => {
      const needed = new Set(unfinished(seen).map(({ workflow }) => workflow));
      const { rows, endpoints } = seen;
      const ids = new Set([...rows, ...endpoints].map(({ id }) => id));
      // A shard is there without a message, too: the connection of a channel wakes it.
      const shards = new Set(Array.from({ length: deliveryShards }, (_, shard) => shardWorkflowOf(shard)));
      return seen.workflows.flatMap(({ id, status }) => {
        if (status === 'FAILED' || status === 'TIMED_OUT') return `${id} ${status}`;
        if (status === 'RUNNING' && !needed.has(id)) return `${id} is still open`;
        return ids.has(id.slice(id.indexOf(':') + 1)) || shards.has(id) ? [] : `${id} has no row`;
      });
    },
  },
];

const shardWorkflowOf = (shard: number): string => deliveryShardWorkflow.workflowId(deliveryShardId(shard));

/** The workflow that sends the messages of a store. */
const shardWorkflow = ({ store_id }: { readonly store_id: string }): string =>
  shardWorkflowOf(deliveryShardOf(store_id));

const openOnes = ({ workflows }: Seen): Set<string> =>
  new Set(workflows.filter(({ status }) => status === 'RUNNING').map(({ id }) => id));

function unfinished({ syncs, messages, followups }: Seen) {
  return [
    ...syncs
      .filter(({ state }) => state !== null && !done.sync.has(state))
      .map(({ appointment_id: id, state, attempts, last_error_code: code }) => ({
        what: `the sync of ${id} is ${state} after ${attempts} attempts (${code})`,
        workflow: `appointment:${id}`,
        waitsForItsTime: false,
      })),
    ...messages
      .filter(({ status }) => !done.message.has(status))
      .map(({ id, status, store_id }) => ({
        what: `the message ${id} is ${status}`,
        workflow: shardWorkflow({ store_id }),
        waitsForItsTime: false,
      })),
    ...followups
      .filter(({ status }) => !done.followup.has(status))
      .map(({ id, status, due_at }) => ({
        what: `the follow-up ${id} is ${status}`,
        workflow: `followup:${id}`,
        waitsForItsTime: status === 'pending' && due_at.getTime() > Date.now(),
      })),
  ];
}
