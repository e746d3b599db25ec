import type { invariants } from './invariants.ts';
import type { Entry, Journal, Kind, Written } from './journal.ts';
import type { FollowupRow, MessageRow, Row, Seen } from './seen.ts';

/** What was recorded of a run, as far as the invariants read it. */
export type Recorded = { journal: Pick<Journal, 'entries' | 'written'>; seen: Seen };

/** Something that must not happen, done to what was recorded, and the invariant that must then report. */
export type Damage = {
  readonly name: string;
  readonly breaks: (typeof invariants)[number]['name'];
  do(recorded: Recorded): void;
};

const found = <T>(thing: T | undefined): T => {
  if (thing === undefined) throw new Error('the run has nothing of the kind that is to be damaged');
  return thing;
};
const entryOf = ({ journal }: Recorded, kind: Kind): Entry =>
  found(journal.entries.find((entry) => entry.kind === kind && entry.acknowledged !== undefined));
const rowOf = (recorded: Recorded, kind: Kind): Row => {
  const { mark } = entryOf(recorded, kind);
  return found(recorded.seen.rows.find((row) => row.kind === kind && row.mark === mark));
};
const followupIn = ({ seen }: Recorded, status: string): FollowupRow =>
  found(seen.followups.find((row) => row.status === status));
const sentOne = ({ seen }: Recorded) => found(seen.taken[0]);
/** Two of one lead that left one after the other. */
const twoSent = ({ seen: { messages, taken } }: Recorded): [MessageRow, MessageRow] => {
  const texts = new Set(taken.map(({ text }) => text));
  const byLead = Map.groupBy(
    messages.filter(({ body }) => texts.has(body)),
    ({ lead_id }) => lead_id,
  );
  const [one, other] = found([...byLead.values()].find(({ length }) => length > 1));
  return [one as MessageRow, other as MessageRow];
};
const withoutWorkflow = ({ seen }: Recorded, id: string) => {
  seen.workflows = seen.workflows.filter((workflow) => workflow.id !== id);
};
const isAcknowledged = ({ acknowledgedAt }: Written) => acknowledgedAt !== undefined;
const remove = <T>(list: T[], thing: T) => void list.splice(list.indexOf(thing), 1);

const acknowledgedIsThere = 'what was acknowledged is there, as it was acknowledged';
const oneEffect = 'a key has one effect';
const nothingUnasked = 'nothing is made that nobody asked for, late, or after a refusal';
const sentIsTaken = 'what is said to be sent was taken by the provider, and what it took is known to be sent';
const inOrder = 'messages to a lead leave in the order of their acceptance';
const writtenIsThere = 'what customers write is taken in once, and in order';
const cancelledIsNotSent = 'what was cancelled is not sent';
const neverEarly = 'a follow-up is sent when it says so, and never early';
const atItsEnd = 'whatever could be brought to its end is there';
const noNeedlessWorkflow = 'no workflow is open without need, of no row, or has failed';
const calendars = 'calendars show every appointment once, as it is, and nothing else';
const ownStore = 'no row of another store';

/** At least one for every invariant: a check that cannot fail proves nothing. */
export const damages: readonly Damage[] = [
  ...(['appointment', 'lead', 'message', 'followup'] as const).flatMap((kind): Damage[] => [
    {
      name: `an acknowledged ${kind} has no row`,
      breaks: acknowledgedIsThere,
      do: (recorded) => remove(recorded.seen.rows, rowOf(recorded, kind)),
    },
    {
      name: `the ${kind} of a key is there twice`,
      breaks: oneEffect,
      do: (recorded) => recorded.seen.rows.push({ ...rowOf(recorded, kind), id: 'another' }),
    },
  ]),
  {
    name: 'a change that was acknowledged is not in the row',
    breaks: acknowledgedIsThere,
    do: (recorded) => {
      rowOf(recorded, 'appointment').content.title = 'as it was before';
    },
  },
  {
    name: 'two ids were answered to one key',
    breaks: oneEffect,
    do: (recorded) => void entryOf(recorded, 'message').ids.add('another'),
  },
  {
    name: 'a row that nobody asked for',
    breaks: nothingUnasked,
    do: (recorded) => recorded.seen.rows.push({ ...rowOf(recorded, 'appointment'), id: 'x', mark: 'chaos of nobody' }),
  },
  {
    name: 'a request was carried out after its deadline',
    breaks: nothingUnasked,
    do: (recorded) => {
      const row = rowOf(recorded, 'message');
      row.created_at = new Date(row.created_at.getTime() + 3_600_000);
    },
  },
  {
    name: 'a request that was only refused was carried out',
    breaks: nothingUnasked,
    do: (recorded) => {
      const entry = entryOf(recorded, 'followup');
      entry.attempts.splice(0, entry.attempts.length, { ...found(entry.attempts[0]), status: 503 });
    },
  },
  {
    name: 'the provider took a message twice',
    breaks: 'the provider took nothing twice',
    do: (recorded) => recorded.seen.taken.push({ ...sentOne(recorded) }),
  },
  {
    name: 'a message that is called sent never left',
    breaks: sentIsTaken,
    do: (recorded) => remove(recorded.seen.taken, sentOne(recorded)),
  },
  {
    name: 'a message that left is called failed',
    breaks: sentIsTaken,
    do: (recorded) => {
      const { text } = sentOne(recorded);
      found(recorded.seen.messages.find(({ body }) => body === text)).status = 'failed';
    },
  },
  {
    name: 'two messages to one lead left the other way round',
    breaks: inOrder,
    do: (recorded) => {
      const [one, other] = twoSent(recorded);
      [one.number, other.number] = [other.number, one.number];
    },
  },
  {
    name: 'a message stands before one that was acknowledged before it was asked for',
    breaks: inOrder,
    do: ({ journal, seen }) => {
      const asked = new Map(journal.entries.map((entry) => [entry.mark, entry]));
      const ofClients = seen.messages.filter(({ body }) => asked.get(body)?.kind === 'message');
      const ofLead = found(
        [...Map.groupBy(ofClients, ({ lead_id }) => lead_id).values()].find(({ length }) => length > 1),
      );
      const [first, second] = ofLead.toSorted((one, other) => one.number - other.number) as [MessageRow, MessageRow];
      found(asked.get(second.body)).acknowledgedAt = (found(asked.get(first.body)).attempts[0]?.sentAt ?? 0) - 1;
    },
  },
  {
    name: 'what a customer wrote was acknowledged and is gone',
    breaks: writtenIsThere,
    do: ({ journal, seen }) => {
      const { id } = found(journal.written.find(isAcknowledged));
      seen.messages = seen.messages.filter(({ provider_message_id }) => provider_message_id !== id);
    },
  },
  {
    name: 'what a customer wrote is there twice',
    breaks: writtenIsThere,
    do: ({ journal, seen }) => {
      const { id } = found(journal.written.find(isAcknowledged));
      const row = found(seen.messages.find(({ provider_message_id }) => provider_message_id === id));
      seen.messages.push({ ...row, id: 'another' });
    },
  },
  {
    name: 'a follow-up was cancelled and sent',
    breaks: cancelledIsNotSent,
    do: (recorded) => {
      const { mark, store_id } = followupIn(recorded, 'cancelled');
      recorded.seen.taken.push({ storeId: store_id, to: '', text: mark, atMs: Date.now() });
    },
  },
  {
    name: 'a cancellation was answered 200, and the follow-up is sent',
    breaks: cancelledIsNotSent,
    do: (recorded) => {
      const { mark } = followupIn(recorded, 'sent');
      found(recorded.journal.entries.find((entry) => entry.mark === mark)).cancel = 'cancelled';
    },
  },
  {
    name: 'a follow-up was sent before it was due',
    breaks: neverEarly,
    do: (recorded) => {
      const row = followupIn(recorded, 'sent');
      const { atMs } = found(recorded.seen.taken.find(({ text }) => text === row.mark));
      row.due_at = new Date(atMs + 1);
    },
  },
  {
    name: 'a follow-up is called sent and was not',
    breaks: neverEarly,
    do: (recorded) => {
      followupIn(recorded, 'cancelled').status = 'sent';
    },
  },
  {
    name: 'crm was not told of a message',
    breaks: 'crm counts the messages of a lead as messaging does, which are those that are there',
    do: ({ seen }) => {
      found(seen.interactions.find(({ told }) => told > 0)).told -= 1;
    },
  },
  {
    name: 'a follow-up waits, and its workflow is gone',
    breaks: 'no row that is not final lacks an open workflow',
    do: (recorded) => withoutWorkflow(recorded, `followup:${followupIn(recorded, 'pending').id}`),
  },
  {
    name: 'a message is left in its queue',
    breaks: 'no row that is not final lacks an open workflow',
    do: ({ seen }) => {
      found(seen.messages.find(({ direction }) => direction === 'outbound')).status = 'queued';
    },
  },
  {
    name: 'an appointment is left unsynced',
    breaks: atItsEnd,
    do: ({ seen }) => {
      found(seen.syncs[0]).state = 'pending';
    },
  },
  {
    name: 'an appointment was never to be synced',
    breaks: atItsEnd,
    do: ({ seen }) => {
      found(seen.syncs[0]).state = null;
    },
  },
  {
    name: 'an appointment never had a workflow',
    breaks: 'every row that a workflow carries had one',
    do: (recorded) => withoutWorkflow(recorded, `appointment:${rowOf(recorded, 'appointment').id}`),
  },
  {
    name: 'a workflow has failed',
    breaks: noNeedlessWorkflow,
    do: ({ seen }) => {
      found(seen.workflows[0]).status = 'FAILED';
    },
  },
  {
    name: 'a workflow is still open, and nothing is left of what it carries',
    breaks: noNeedlessWorkflow,
    do: (recorded) => {
      const id = `followup:${followupIn(recorded, 'sent').id}`;
      found(recorded.seen.workflows.find((workflow) => workflow.id === id)).status = 'RUNNING';
    },
  },
  {
    name: 'an entry is left in an outbox',
    breaks: 'what waits to be handed on is handed on',
    do: ({ seen }) => {
      found(seen.waiting[0]).count = 1;
    },
  },
  {
    name: 'the creation of a lead was not published',
    breaks: 'every creation is published',
    do: (recorded) => {
      const { id } = rowOf(recorded, 'lead');
      recorded.seen.published = recorded.seen.published.filter(({ entityId }) => entityId !== id);
    },
  },
  {
    name: 'the creation of an appointment was published twice',
    breaks: 'no creation is published twice',
    do: (recorded) => {
      const { id } = rowOf(recorded, 'appointment');
      const event = found(
        recorded.seen.published.find(({ entityId, type }) => entityId === id && type.endsWith('created')),
      );
      recorded.seen.published.push({ ...event });
    },
  },
  {
    name: 'an appointment is missing from its calendar',
    breaks: calendars,
    do: ({ seen }) => void found(seen.calendars.find(({ events }) => events.length > 0)).events.pop(),
  },
  {
    name: 'an appointment is in its calendar twice',
    breaks: calendars,
    do: ({ seen }) => {
      const { events } = found(seen.calendars.find((calendar) => calendar.events.length > 0));
      events.push({ ...found(events[0]) });
    },
  },
  {
    name: 'a calendar shows an appointment as it was before a change',
    breaks: calendars,
    do: ({ seen }) => {
      found(seen.calendars.flatMap(({ events }) => events)[0]).title = 'as it was before';
    },
  },
  {
    name: 'an appointment is in another store',
    breaks: ownStore,
    do: (recorded) => {
      rowOf(recorded, 'appointment').store_id = 'another';
    },
  },
  {
    name: 'a row names a lead of another store',
    breaks: ownStore,
    do: ({ seen }) => void seen.strays.push('the message m names a row of another store, or none'),
  },
  {
    name: 'an event was published for another store',
    breaks: ownStore,
    do: (recorded) => {
      const { id } = rowOf(recorded, 'lead');
      found(recorded.seen.published.find(({ entityId }) => entityId === id)).storeId = 'another';
    },
  },
  {
    name: 'an index lacks a row',
    breaks: 'tables and indexes are whole',
    do: ({ seen }) => void seen.corruption.push('the index i: heap tuple lacks matching index tuple'),
  },
];
