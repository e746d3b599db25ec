import type { Invariant } from './invariant.ts';
import type { Seen } from './seen.ts';

const done = {
  sync: new Set(['synced']),
  message: new Set(['received', 'sent', 'delivered', 'read', 'failed']),
  followup: new Set(['sent', 'failed', 'cancelled']),
};

/** What carries rows on. */
export const ofWorkflows: readonly Invariant[] = [
  {
    name: 'no row that is not final lacks an open workflow',
    verdict: 'broken',
    find: (_, seen) => {
      const open = openOnes(seen);
      return unfinished(seen).flatMap(({ what, workflow }) =>
        open.has(workflow) ? [] : `${what}, and ${workflow} is not open`,
      );
    },
  },
  {
    name: 'whatever could be brought to its end is there',
    verdict: 'lost',
    find: (_, seen) => [
      ...unfinished(seen).flatMap(({ what, waitsForItsTime }) => (waitsForItsTime ? [] : what)),
      ...seen.syncs
        .filter(({ state }) => state === null)
        .map(({ appointment_id: id }) => `${id} was never to be synced`),
    ],
  },
  {
    name: 'every row that a workflow carries had one',
    verdict: 'broken',
    find: (_, { rows, workflows }) => {
      const known = new Set(workflows.map(({ id }) => id));
      return rows.flatMap(({ kind, id }) =>
        (kind === 'appointment' || kind === 'followup') && !known.has(`${kind}:${id}`) ? `the ${kind} ${id}` : [],
      );
    },
  },
  {
    name: 'no workflow is open without need, of no row, or has failed',
    verdict: 'broken',
    find: (_, seen) => {
      const needed = new Set(unfinished(seen).map(({ workflow }) => workflow));
      const ids = new Set([...seen.rows.map(({ id }) => id), ...seen.messages.map(({ lead_id }) => lead_id)]);
      return seen.workflows.flatMap(({ id, status }) => {
        if (status === 'FAILED' || status === 'TIMED_OUT') return `${id} ${status}`;
        if (status === 'RUNNING' && !needed.has(id)) return `${id} is still open`;
        return ids.has(id.slice(id.indexOf(':') + 1)) ? [] : `${id} is of no row`;
      });
    },
  },
];

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
      .map(({ id, status, lead_id }) => ({
        what: `the message ${id} is ${status}`,
        workflow: `delivery:${lead_id}`,
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
