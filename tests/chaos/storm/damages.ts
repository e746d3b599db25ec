import { answers, markOf, newestIn, type Said } from '../exact/answers.ts';
import type { Judged } from './invariant.ts';
import type { invariants } from './invariants.ts';
import type { Changing, Entry, Kind, Written } from './journal.ts';
import type { FeedEvent, FollowupRow, MessageRow, Row, Seen } from './seen.ts';

/** The record of a run that the invariants read. */
export type Recorded = { journal: Judged; seen: Seen };

/** A violation, made in the record of a run, and the invariant that must report it. */
export type Damage = {
  readonly name: string;
  readonly breaks: (typeof invariants)[number]['name'];
  do(recorded: Recorded): void;
};

const found = <T>(thing: T | undefined): T => {
  if (thing === undefined) throw new Error('the run has nothing to damage here');
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
const scheduledIn = ({ seen }: Recorded) =>
  found(seen.booked.flatMap(({ appointments }) => appointments).find(({ status }) => status === 'scheduled'));
/** A conversation that ends with an answer of the AI. */
const answeredIn = ({ seen }: Recorded) => {
  const one = found(
    seen.conversations.find(
      ({ said, turns }) => answers(said).length > 0 && !turns.some(({ state }) => state === 'handed_over'),
    ),
  );
  const said = one.said as Said[];
  return { said, last: found(answers(said).at(-1)) };
};
const sentOne = ({ seen }: Recorded) => found(seen.taken[0]);
/** Two messages to one lead that the provider accepted one after the other. */
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
/** A customer whose ids have changed, and the lead of that customer. */
const changedIn = ({ journal, seen }: Recorded): { customer: Changing; lead: Seen['people'][number] } => {
  const customer = found(journal.changing.find(({ left }) => left.length > 0));
  return { customer, lead: found(seen.people.find(({ id }) => id === customer.leadId)) };
};
const isAcknowledged = ({ acknowledgedAt }: Written) => acknowledgedAt !== undefined;
const remove = <T>(list: T[], thing: T) => void list.splice(list.indexOf(thing), 1);

const acknowledgedIsThere = 'every acknowledged request is stored with the content that was acknowledged';
const oneEffect = 'an idempotency key has one effect';
const nothingUnasked = 'no row comes from an unknown, expired or rejected request';
const sentIsTaken = 'a message counts as sent exactly when the provider accepted it';
const inOrder = 'messages to a lead are sent in the order in which they were accepted';
const writtenIsThere = 'every message of a customer is stored once and in order';
const oneLead = 'a customer whose number or user id changes is one lead, and has the last ones';
const newStart = 'who gets the number of another customer is a new lead, which names the one before';
const leftAlone = 'no message goes to a number or user id that its customer has left';
const cancelledIsNotSent = 'a cancelled follow-up is not sent';
const neverEarly = 'a follow-up counts as sent exactly when it was sent, and never before it is due';
const atItsEnd = 'all work that can finish has finished';
const noNeedlessWorkflow = 'no workflow has failed, lacks its row, or stays open without work';
const calendars = 'every calendar shows each appointment once, up to date, and nothing else';
const onceToReaders = 'a reader of a feed gets every event once, in order';
const ownStore = 'no row, workflow or event belongs to another store';

/** At least one for each invariant, because a check that cannot fail proves nothing. */
export const damages: readonly Damage[] = [
  ...(['appointment', 'lead', 'message', 'followup'] as const).flatMap((kind): Damage[] => [
    {
      name: `an acknowledged ${kind} has no row`,
      breaks: acknowledgedIsThere,
      do: (recorded) => remove(recorded.seen.rows, rowOf(recorded, kind)),
    },
    {
      name: `the ${kind} of one key is stored twice`,
      breaks: oneEffect,
      do: (recorded) => recorded.seen.rows.push({ ...rowOf(recorded, kind), id: 'another' }),
    },
  ]),
  {
    name: 'an acknowledged change is not in the row',
    breaks: acknowledgedIsThere,
    do: (recorded) => {
      rowOf(recorded, 'appointment').content.title = 'as it was before';
    },
  },
  {
    name: 'one key got two ids in answers',
    breaks: oneEffect,
    do: (recorded) => void entryOf(recorded, 'message').ids.add('another'),
  },
  {
    name: 'a row exists that no client requested',
    breaks: nothingUnasked,
    do: (recorded) => recorded.seen.rows.push({ ...rowOf(recorded, 'appointment'), id: 'x', mark: 'chaos of nobody' }),
  },
  {
    name: 'a request took effect after its deadline',
    breaks: nothingUnasked,
    do: (recorded) => {
      const row = rowOf(recorded, 'message');
      row.created_at = new Date(row.created_at.getTime() + 3_600_000);
    },
  },
  {
    name: 'a request took effect although every answer was 503',
    breaks: nothingUnasked,
    do: (recorded) => {
      const entry = entryOf(recorded, 'followup');
      entry.attempts.splice(0, entry.attempts.length, { ...found(entry.attempts[0]), status: 503 });
    },
  },
  {
    name: 'the provider accepted a message twice',
    breaks: 'the provider accepts each message at most once',
    do: (recorded) => recorded.seen.taken.push({ ...sentOne(recorded) }),
  },
  {
    name: 'a message counts as sent, but the provider never accepted it',
    breaks: sentIsTaken,
    do: (recorded) => remove(recorded.seen.taken, sentOne(recorded)),
  },
  {
    name: 'a message counts as failed, but the provider accepted it',
    breaks: sentIsTaken,
    do: (recorded) => {
      const { text } = sentOne(recorded);
      found(recorded.seen.messages.find(({ body }) => body === text)).status = 'failed';
    },
  },
  {
    name: 'two messages to one lead were sent in the wrong order',
    breaks: inOrder,
    do: (recorded) => {
      const [one, other] = twoSent(recorded);
      [one.number, other.number] = [other.number, one.number];
    },
  },
  {
    name: 'a message has a lower number than one that was acknowledged before its request',
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
    name: 'a message of a customer was acknowledged, but is not stored',
    breaks: writtenIsThere,
    do: ({ journal, seen }) => {
      const { id } = found(journal.written.find(isAcknowledged));
      seen.messages = seen.messages.filter(({ provider_message_id }) => provider_message_id !== id);
    },
  },
  {
    name: 'a message of a customer is stored twice',
    breaks: writtenIsThere,
    do: ({ journal, seen }) => {
      const { id } = found(journal.written.find(isAcknowledged));
      const row = found(seen.messages.find(({ provider_message_id }) => provider_message_id === id));
      seen.messages.push({ ...row, id: 'another' });
    },
  },
  {
    name: 'a message of a customer whose ids changed is stored for another lead',
    breaks: writtenIsThere,
    do: ({ journal, seen }) => {
      const { id } = found(journal.written.find((one) => one.by?.leadId && isAcknowledged(one)));
      found(seen.messages.find(({ provider_message_id }) => provider_message_id === id)).lead_id = 'another';
    },
  },
  {
    name: 'a customer is a second lead under an earlier id',
    breaks: oneLead,
    do: (recorded) => {
      const { customer, lead } = changedIn(recorded);
      recorded.seen.people.push({ ...lead, id: 'another', phone: found(customer.left[0]).id });
    },
  },
  {
    name: 'a lead has no number, although its customer has one',
    breaks: oneLead,
    do: (recorded) => {
      const { customer } = changedIn(recorded);
      const lead = found(recorded.seen.people.find(({ id, phone }) => id === customer.leadId && phone !== null));
      lead.phone = null;
    },
  },
  {
    name: 'two customers were merged',
    breaks: oneLead,
    do: (recorded) => {
      const { lead } = changedIn(recorded);
      const { storeId, id: keptId } = lead;
      recorded.seen.merges.push({ id: 'gone', storeId, keptId, phone: '5511999999999', userId: null });
    },
  },
  {
    name: 'the lead of a number that another customer had does not name that one',
    breaks: newStart,
    do: ({ journal, seen }) => {
      const { leadId } = found(journal.changing.find(({ before }) => before !== undefined));
      found(seen.people.find(({ id }) => id === leadId)).previousId = null;
    },
  },
  {
    name: 'a message went to a number that its customer had left before',
    breaks: leftAlone,
    do: (recorded) => {
      const { customer } = changedIn(recorded);
      const [{ id, since }] = customer.left as [Changing['left'][number]];
      const sent = sentOne(recorded);
      sent.to = id;
      found(recorded.seen.messages.find(({ body }) => body === sent.text)).created_at = new Date(since + 1);
    },
  },
  {
    name: 'a message that had waited went to a number that its customer had left long before',
    breaks: leftAlone,
    do: (recorded) => {
      const [{ id, since }] = changedIn(recorded).customer.left as [Changing['left'][number]];
      Object.assign(sentOne(recorded), { to: id, atMs: since + 3_600_000 });
    },
  },
  {
    name: 'a follow-up is cancelled, but was sent',
    breaks: cancelledIsNotSent,
    do: (recorded) => {
      const { mark, store_id } = followupIn(recorded, 'cancelled');
      recorded.seen.taken.push({ storeId: store_id, to: '', text: mark, atMs: Date.now() });
    },
  },
  {
    name: 'a cancellation was answered 200, but the follow-up was sent',
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
    name: 'a follow-up counts as sent, but was not',
    breaks: neverEarly,
    do: (recorded) => {
      followupIn(recorded, 'cancelled').status = 'sent';
    },
  },
  {
    name: 'crm does not count a message',
    breaks: 'crm, messaging and the stored messages agree on the message count of a lead',
    do: ({ seen }) => {
      found(seen.interactions.find(({ told }) => told > 0)).told -= 1;
    },
  },
  {
    name: 'a follow-up is pending, but has no workflow',
    breaks: 'every unfinished row has an open workflow',
    do: (recorded) => withoutWorkflow(recorded, `followup:${followupIn(recorded, 'pending').id}`),
  },
  {
    name: 'a message is left queued',
    breaks: 'every unfinished row has an open workflow',
    do: ({ seen }) => {
      found(seen.messages.find(({ direction }) => direction === 'outbound')).status = 'queued';
    },
  },
  {
    name: 'the calendar sync of an appointment is left pending',
    breaks: atItsEnd,
    do: ({ seen }) => {
      found(seen.syncs[0]).state = 'pending';
    },
  },
  {
    name: 'an appointment has no calendar sync',
    breaks: atItsEnd,
    do: ({ seen }) => {
      found(seen.syncs[0]).state = null;
    },
  },
  {
    name: 'an appointment never had a workflow',
    breaks: 'every appointment and every follow-up had a workflow',
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
    name: 'a workflow is still open without work',
    breaks: noNeedlessWorkflow,
    do: (recorded) => {
      const id = `followup:${followupIn(recorded, 'sent').id}`;
      found(recorded.seen.workflows.find((workflow) => workflow.id === id)).status = 'RUNNING';
    },
  },
  {
    name: 'an entry is left in an outbox',
    breaks: 'every outbox and the inbox are empty',
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
    name: 'the creation of a lead is not in the feed',
    breaks: 'every creation is in the feed of its store',
    do: (recorded) => {
      const { id } = rowOf(recorded, 'lead');
      recorded.seen.feed = recorded.seen.feed.filter(({ entityId }) => entityId !== id);
    },
  },
  {
    name: 'an event is in the feed twice',
    breaks: 'nothing is in a feed twice',
    do: ({ seen }) => void seen.feed.push({ ...found(seen.feed[0]), sequence: seen.feed.length + 1 }),
  },
  {
    name: 'a creation is in the feed twice, as two events',
    breaks: 'nothing is in a feed twice',
    do: (recorded) => {
      const { feed } = recorded.seen;
      const { id } = rowOf(recorded, 'appointment');
      const event = found(feed.find(({ entityId, type }) => entityId === id && type === 'appointment.created'));
      feed.push({ ...event, id: 'another', sequence: feed.length + 1 });
    },
  },
  {
    name: 'a feed lacks a number',
    breaks: 'the numbers of a feed have no gap',
    do: ({ seen }) =>
      void seen.feed.splice(seen.feed.indexOf(found(seen.feed.find(({ sequence }) => sequence === 1))), 1),
  },
  {
    name: 'two events of a row changed places',
    breaks: 'the events of a row are in the feed in their order',
    do: ({ seen }) => {
      const byRow = Map.groupBy(seen.feed, ({ entityId }) => entityId);
      const [one, other] = found([...byRow.values()].find(({ length }) => length > 1)) as [FeedEvent, FeedEvent];
      [one.version, other.version] = [other.version, one.version];
    },
  },
  ...(['long polls', 'the stream'] as const).flatMap((by): Damage[] => {
    const eventsOf = ({ journal }: Recorded) =>
      found(journal.followed.find((one) => one.by === by && one.events.length > 1)).events;
    return [
      {
        name: `a reader by ${by} missed an event`,
        breaks: onceToReaders,
        do: (recorded) => void eventsOf(recorded).shift(),
      },
      {
        name: `a reader by ${by} got an event twice`,
        breaks: onceToReaders,
        do: (recorded) => {
          const events = eventsOf(recorded);
          events.push({ ...found(events.at(-1)) });
        },
      },
    ];
  }),
  {
    name: 'an endpoint never accepted an event',
    breaks: 'a webhook endpoint accepted every event of its feed',
    do: ({ seen }) => {
      const { id } = found(seen.webhooks[0]);
      seen.webhooks = seen.webhooks.filter((webhook) => webhook.id !== id);
    },
  },
  {
    name: 'an endpoint got two events of a row in the wrong order',
    breaks: 'a webhook endpoint accepts the events of a row in their order',
    do: ({ seen }) => {
      const accepted = seen.webhooks.filter(({ status }) => status === 200);
      const byRow = Map.groupBy(accepted, ({ entity }) => entity);
      const ofRow = found([...byRow.values()].find(({ length }) => length > 1));
      const [one, other] = [found(ofRow[0]), found(ofRow.at(-1))];
      [one.sequence, other.sequence] = [other.sequence, one.sequence];
    },
  },
  {
    name: 'an endpoint got an event under another id',
    breaks: 'every webhook is signed, and a repeated one has the same id',
    do: ({ seen }) => void seen.webhooks.push({ ...found(seen.webhooks[0]), id: 'another' }),
  },
  {
    name: 'a webhook had no valid signature',
    breaks: 'every webhook is signed, and a repeated one has the same id',
    do: ({ seen }) => void seen.forged.push('/store: no matching signature'),
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
    name: 'a calendar shows an old version of an appointment',
    breaks: calendars,
    do: ({ seen }) => {
      found(seen.calendars.flatMap(({ events }) => events)[0]).title = 'as it was before';
    },
  },
  {
    name: 'two appointments have one place',
    breaks: 'no place is taken twice',
    do: ({ seen }) => {
      const { appointments, capacity } = found(seen.booked.find(({ appointments }) => appointments.length > 0));
      const row = found(appointments.find(({ status }) => status === 'scheduled'));
      for (let number = 1; number <= capacity; number += 1) appointments.push({ ...row, id: `another ${number}` });
    },
  },
  {
    name: 'a scheduled appointment has no place',
    breaks: 'no place is taken twice',
    do: (recorded) => {
      scheduledIn(recorded).placeFrom = null;
    },
  },
  {
    name: 'a cancelled booking is scheduled again',
    breaks: 'the cancellation of a booking stays',
    do: (recorded) => {
      const { mark } = scheduledIn(recorded);
      found(recorded.journal.entries.find((entry) => entry.mark === mark)).cancel = 'cancelled';
    },
  },
  {
    name: 'an appointment is not at the time that its calendar shows',
    breaks: 'calendar and appointments agree',
    do: (recorded) => {
      scheduledIn(recorded).minutes += 1;
    },
  },
  {
    name: 'the event of an appointment is not in its calendar',
    breaks: 'calendar and appointments agree',
    do: ({ seen }) => void found(seen.booked.find(({ events }) => events.length > 0)).events.pop(),
  },
  {
    name: 'a message of a customer has two answers',
    breaks: 'no message of a customer has two answers of the AI',
    do: (recorded) => {
      const { said, last } = answeredIn(recorded);
      said.push({ ...last, number: last.number + 1 });
    },
  },
  {
    name: 'an answer has not seen what the customer wrote last',
    breaks: 'an answer of the AI has seen all that the customer wrote before it',
    do: (recorded) => {
      const { said, last } = answeredIn(recorded);
      const written = found(said.findLast(({ source, number }) => source === 'lead' && number < last.number));
      said.push({ ...written, body: markOf(0, newestIn(last.body) + 1), number: last.number - 0.5 });
    },
  },
  {
    name: 'what a customer wrote last has no answer',
    breaks: 'all that a customer wrote to the AI is answered, or a person was called',
    do: (recorded) => {
      const { said, last } = answeredIn(recorded);
      said.push({
        number: last.number + 1,
        source: 'lead',
        body: markOf(0, newestIn(last.body) + 1),
        status: 'received',
      });
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
    do: ({ seen }) => void seen.strays.push('the message m names a row that its store does not have'),
  },
  {
    name: 'an event names another store than its row',
    breaks: ownStore,
    do: (recorded) => {
      const { id } = rowOf(recorded, 'lead');
      found(recorded.seen.published.find(({ entityId }) => entityId === id)).storeId = 'another';
    },
  },
  {
    name: 'an index lacks a row',
    breaks: 'no table or index is corrupt',
    do: ({ seen }) => void seen.corruption.push('the index i: heap tuple lacks matching index tuple'),
  },
  {
    name: 'a process ended that the storm neither stopped nor killed',
    breaks: 'no process ended by itself',
    do: ({ seen }) =>
      void seen.endings.push({ process: 'crm', how: 'exit code 1', at: '2026-11-26T12:00:00Z', lastLine: 'EBADF' }),
  },
];
