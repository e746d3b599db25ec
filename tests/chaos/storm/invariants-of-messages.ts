import { countOneMore, type Invariant } from './invariant.ts';
import type { Entry, Written } from './journal.ts';
import type { MessageRow, Seen } from './seen.ts';

const tookIt = new Set(['sent', 'delivered', 'read']);

/** What leads were sent and what they wrote. */
export const ofMessages: readonly Invariant[] = [
  {
    name: 'the provider took nothing twice',
    verdict: 'doubled',
    find: (_, { taken }) => {
      const times = new Map<string, number>();
      for (const { text } of taken) countOneMore(times, text);
      return [...times].flatMap(([text, count]) => (count > 1 ? `${count} times: ${text}` : []));
    },
  },
  {
    name: 'what is said to be sent was taken by the provider, and what it took is known to be sent',
    verdict: 'lost',
    find: (_, { messages, taken }) => {
      const texts = new Set(taken.map(({ text }) => text));
      return outbound(messages).flatMap(({ id, body, status }) =>
        tookIt.has(status) === texts.has(body)
          ? []
          : `the message ${id} is ${status}, and the provider ${texts.has(body) ? 'took' : 'never took'} it`,
      );
    },
  },
  {
    name: 'messages to a lead leave in the order of their acceptance',
    verdict: 'broken',
    find: ({ entries }, { messages, taken }) => {
      const asked = byMark(entries.filter(({ kind }) => kind === 'message'));
      const numbers = new Map(outbound(messages).map((row) => [row.body, row]));
      const left = taken.flatMap(({ text }) => numbers.get(text) ?? []);
      const accepted = outbound(messages).flatMap((row) => {
        const entry = asked.get(row.body);
        return entry ? { row, from: entry.attempts[0]?.sentAt ?? 0, until: entry.acknowledgedAt } : [];
      });
      return [...outOfTurn(left, 'left'), ...againstTime(accepted)];
    },
  },
  {
    name: 'what customers write is taken in once, and in order',
    verdict: 'lost',
    find: ({ written }, { messages }) => {
      const byId = Map.groupBy(
        messages.filter(({ direction }) => direction === 'inbound'),
        ({ provider_message_id }) => provider_message_id,
      );
      const faults = written.flatMap(({ id, leadId, storeId, acknowledgedAt }) => {
        const rows = byId.get(id) ?? [];
        if (rows.length > 1) return `${id} is there ${rows.length} times`;
        if (acknowledgedAt !== undefined && rows.length === 0) return `${id} was acknowledged and is not there`;
        return rows.some((row) => row.lead_id !== leadId || row.store_id !== storeId) ? `${id} is another lead's` : [];
      });
      const inTime = written.flatMap(({ id, firstAt, acknowledgedAt }: Written) => {
        const [row] = byId.get(id) ?? [];
        return row ? { row, from: firstAt, until: acknowledgedAt } : [];
      });
      return [...faults, ...againstTime(inTime)];
    },
  },
  {
    name: 'what was cancelled is not sent',
    verdict: 'broken',
    find: ({ entries }, { followups, taken }) => {
      const texts = new Set(taken.map(({ text }) => text));
      const asked = byMark(entries);
      return followups.flatMap(({ id, mark, status }) => {
        const told = asked.get(mark)?.cancel;
        if (status === 'cancelled' && texts.has(mark)) return `the follow-up ${id} was cancelled and sent`;
        return told === 'cancelled' && status !== 'cancelled'
          ? `${id} was cancelled, as was answered, and is ${status}`
          : [];
      });
    },
  },
  {
    name: 'a follow-up is sent when it says so, and never early',
    verdict: 'broken',
    find: (_, { followups, taken }) => {
      const takenAt = new Map(taken.map(({ text, atMs }) => [text, atMs]));
      return followups.flatMap(({ id, mark, status, due_at }) => {
        const atMs = takenAt.get(mark);
        if ((status === 'sent') !== (atMs !== undefined)) return `the follow-up ${id} is ${status}`;
        return atMs !== undefined && atMs < due_at.getTime() ? `${id} was sent before it was due` : [];
      });
    },
  },
  {
    name: 'crm counts the messages of a lead as messaging does, which are those that are there',
    verdict: 'broken',
    find: (_, { interactions, messages }) => {
      const there = new Map<string, number>();
      for (const { lead_id, direction, status } of messages) {
        if (direction === 'inbound' || tookIt.has(status)) countOneMore(there, lead_id);
      }
      return interactions.flatMap(({ lead_id, counted, told }) => {
        const rows = there.get(lead_id) ?? 0;
        // The greeting that a lead begins with is none of the run's texts.
        return counted === told && (counted === rows || counted === rows + 1)
          ? []
          : `the lead ${lead_id}: ${rows} are there, messaging counts ${counted}, crm ${told}`;
      });
    },
  },
];

const outbound = (messages: Seen['messages']): MessageRow[] =>
  messages.filter(({ direction }) => direction === 'outbound');

const byMark = (entries: readonly Entry[]): Map<string, Entry> => new Map(entries.map((entry) => [entry.mark, entry]));

/** Those whose number is less than that of one before them, of the same lead. */
function outOfTurn(rows: readonly MessageRow[], what: string): string[] {
  const last = new Map<string, number>();
  return rows.flatMap(({ id, lead_id, number }) => {
    const before = last.get(lead_id) ?? 0;
    last.set(lead_id, Math.max(before, number));
    return number < before ? `the message ${id} of ${lead_id} ${what} after number ${before}, and is ${number}` : [];
  });
}

type Timed = { row: MessageRow; from: number; until: number | undefined };

/** Those that were asked for after another one was acknowledged, and yet stand before it. */
function againstTime(all: readonly Timed[]): string[] {
  return [...Map.groupBy(all, ({ row }) => row.lead_id).values()].flatMap((ofLead) => {
    const byNumber = ofLead.toSorted((one, other) => one.row.number - other.row.number);
    // Seen from the last: the earliest acknowledgement of those behind must not lie before this one was asked for.
    let earliest = Number.POSITIVE_INFINITY;
    return byNumber.toReversed().flatMap(({ row, from, until }) => {
      const isLate = earliest < from;
      earliest = Math.min(earliest, until ?? Number.POSITIVE_INFINITY);
      return isLate ? `the message ${row.id} is number ${row.number}, before one that was acknowledged earlier` : [];
    });
  });
}
