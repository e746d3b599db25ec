import { countOneMore, type Invariant } from './invariant.ts';
import type { Entry, Written } from './journal.ts';
import type { MessageRow, Seen } from './seen.ts';

const tookIt = new Set(['sent', 'delivered', 'read']);

/** Invariants of the messages that leads got and wrote. */
export const ofMessages: readonly Invariant[] = [
  {
    name: 'the provider accepts each message at most once',
    verdict: 'doubled',
    find: (_, { taken }) => {
      const times = new Map<string, number>();
      for (const { text } of taken) countOneMore(times, text);
      return [...times].flatMap(([text, count]) => (count > 1 ? `accepted ${count} times: ${text}` : []));
    },
  },
  {
    name: 'a message counts as sent exactly when the provider accepted it',
    verdict: 'lost',
    find: (_, { messages, taken }) => {
      const texts = new Set(taken.map(({ text }) => text));
      return outbound(messages).flatMap(({ id, body, status }) =>
        tookIt.has(status) === texts.has(body)
          ? []
          : `the message ${id} is ${status}, but the provider ${texts.has(body) ? 'accepted' : 'never accepted'} it`,
      );
    },
  },
  {
    name: 'messages to a lead are sent in the order in which they were accepted',
    verdict: 'broken',
    find: ({ entries }, { messages, taken }) => {
      const asked = byMark(entries.filter(({ kind }) => kind === 'message'));
      // A merge numbers the messages of two queues again, by when they were accepted. Some were sent before.
      const own = outbound(messages).filter(({ body, lead_id }) => (asked.get(body)?.leadId ?? lead_id) === lead_id);
      const numbers = new Map(own.map((row) => [row.body, row]));
      const left = taken.flatMap(({ text }) => numbers.get(text) ?? []);
      const accepted = own.flatMap((row) => {
        const entry = asked.get(row.body);
        return entry ? { row, from: entry.attempts[0]?.sentAt ?? 0, until: entry.acknowledgedAt } : [];
      });
      return [...sentOutOfOrder(left), ...againstTime(accepted)];
    },
  },
  {
    name: 'every message of a customer is stored once and in order',
    verdict: 'lost',
    find: ({ written }, { messages }) => {
      const byId = Map.groupBy(
        messages.filter(({ direction }) => direction === 'inbound'),
        ({ provider_message_id }) => provider_message_id,
      );
      const faults = written.flatMap(({ id, leadId, by, storeId, acknowledgedAt }) => {
        const rows = byId.get(id) ?? [];
        if (rows.length > 1) return `${id} is stored ${rows.length} times`;
        if (acknowledgedAt !== undefined && rows.length === 0) return `${id} was acknowledged but is not stored`;
        const theirs = by?.leadId ?? leadId;
        return rows.some((row) => (theirs !== null && row.lead_id !== theirs) || row.store_id !== storeId)
          ? `${id} is stored for another lead`
          : [];
      });
      // What a customer writes under two ids is stored in the order of the ids' own queues.
      const inTime = written.flatMap(({ id, by, firstAt, acknowledgedAt }: Written) => {
        const [row] = byId.get(id) ?? [];
        return row && !by ? { row, from: firstAt, until: acknowledgedAt } : [];
      });
      return [...faults, ...againstTime(inTime)];
    },
  },
  {
    name: 'a cancelled follow-up is not sent',
    verdict: 'broken',
    find: ({ entries }, { followups, taken }) => {
      const texts = new Set(taken.map(({ text }) => text));
      const asked = byMark(entries);
      return followups.flatMap(({ id, mark, status }) => {
        const told = asked.get(mark)?.cancel;
        if (status === 'cancelled' && texts.has(mark)) return `the follow-up ${id} is cancelled but was sent`;
        return told === 'cancelled' && status !== 'cancelled'
          ? `the cancellation of ${id} was answered 200, but its status is ${status}`
          : [];
      });
    },
  },
  {
    name: 'a follow-up counts as sent exactly when it was sent, and never before it is due',
    verdict: 'broken',
    find: (_, { followups, taken }) => {
      const takenAt = new Map(taken.map(({ text, atMs }) => [text, atMs]));
      return followups.flatMap(({ id, mark, status, due_at }) => {
        const atMs = takenAt.get(mark);
        if ((status === 'sent') !== (atMs !== undefined))
          return `the follow-up ${id} is ${status}, against the provider's log`;
        return atMs !== undefined && atMs < due_at.getTime() ? `${id} was sent before it was due` : [];
      });
    },
  },
  {
    name: 'crm, messaging and the stored messages agree on the message count of a lead',
    verdict: 'broken',
    find: (_, { interactions, messages }) => {
      const there = new Map<string, number>();
      for (const { lead_id, direction, status } of messages) {
        if (direction === 'inbound' || tookIt.has(status)) countOneMore(there, lead_id);
      }
      return interactions.flatMap(({ lead_id, counted, told }) => {
        const rows = there.get(lead_id) ?? 0;
        // A lead's first message is not among the rows: its text does not start with `chaos`.
        return counted === told && (counted === rows || counted === rows + 1)
          ? []
          : `the lead ${lead_id}: ${rows} messages are stored, messaging counts ${counted}, crm ${told}`;
      });
    },
  },
];

const outbound = (messages: Seen['messages']): MessageRow[] =>
  messages.filter(({ direction }) => direction === 'outbound');

const byMark = (entries: readonly Entry[]): Map<string, Entry> => new Map(entries.map((entry) => [entry.mark, entry]));

/** Rows whose number is lower than the number of an earlier row of the same lead. */
function sentOutOfOrder(rows: readonly MessageRow[]): string[] {
  const last = new Map<string, number>();
  return rows.flatMap(({ id, lead_id, number }) => {
    const before = last.get(lead_id) ?? 0;
    last.set(lead_id, Math.max(before, number));
    return number < before
      ? `the message ${id} of ${lead_id} is number ${number}, but was sent after number ${before}`
      : [];
  });
}

type Timed = { row: MessageRow; from: number; until: number | undefined };

/** Messages that were requested after another one was acknowledged, but have a lower number. */
function againstTime(all: readonly Timed[]): string[] {
  return [...Map.groupBy(all, ({ row }) => row.lead_id).values()].flatMap((ofLead) => {
    const byNumber = ofLead.toSorted((one, other) => one.row.number - other.row.number);
    // From the last to the first: no later message may have been acknowledged before this one was requested.
    let earliest = Number.POSITIVE_INFINITY;
    return byNumber.toReversed().flatMap(({ row, from, until }) => {
      const isLate = earliest < from;
      earliest = Math.min(earliest, until ?? Number.POSITIVE_INFINITY);
      return isLate
        ? `the message ${row.id} is number ${row.number}, but a later number was acknowledged before its request`
        : [];
    });
  });
}
