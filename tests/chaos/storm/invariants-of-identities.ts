import type { Invariant } from './invariant.ts';
import type { Changing } from './journal.ts';
import type { Seen } from './seen.ts';

/** The lease of an attempt, and the time for which a link may hold back its bytes. An attempt has its address from before. */
const attemptMs = 60_000;

/** Invariants of customers whose number or user id changes. What they write and get has those of all messages, too. */
export const ofIdentities: readonly Invariant[] = [
  {
    name: 'a customer whose number or user id changes is one lead, and has the last ones',
    verdict: 'broken',
    find: ({ changing, written }, { people, merges }) => [
      ...changing.flatMap((customer) => {
        const theirs = people.filter((lead) => isOf(customer, lead, customer.lost));
        const isKnown = written.some(({ by, acknowledgedAt }) => by === customer && acknowledgedAt !== undefined);
        const [lead] = theirs;
        const who = `the customer ${customer.now.userId}`;
        if (!lead || theirs.length > 1) return isKnown ? `${who} is ${theirs.length} leads` : [];
        // crm keeps the user id only of who had no number at first.
        const userId = customer.before ? null : customer.now.userId;
        if (lead.phone !== customer.now.phone || lead.userId !== userId)
          return `${who} is a lead with the number ${lead.phone} and the user id ${lead.userId}`;
        return lead.id === (customer.leadId ?? lead.id) ? [] : `${who} is another lead than before`;
      }),
      ...merges.flatMap((merged) => {
        const kept = people.find(({ id }) => id === merged.keptId);
        const isOne = changing.some((customer) => isOf(customer, merged) && kept && isOf(customer, kept));
        return isOne ? [] : `the lead ${merged.id} was merged into ${merged.keptId}, who is another customer`;
      }),
    ],
  },
  {
    name: 'who gets the number of another customer is a new lead, which names the one before',
    verdict: 'broken',
    find: ({ changing }, { people }) =>
      changing.flatMap(({ before, storeId, now }) => {
        const lead = people.find((one) => one.storeId === storeId && one.phone === now.phone);
        if (!before?.leadId || !lead) return [];
        const isNew = lead.previousId === before.leadId && lead.id !== before.leadId;
        return isNew ? [] : `the lead of ${now.phone} names ${lead.previousId} as the one before, not ${before.leadId}`;
      }),
  },
  {
    name: 'no message goes to a number or user id that its customer has left',
    verdict: 'broken',
    find: ({ changing }, { messages, taken }) => {
      const left = new Map(changing.flatMap((customer) => customer.left.map(({ id, since }) => [id, since] as const)));
      const heirs = new Map(
        changing.flatMap(({ before, leadId }) => (before && leadId ? [[leadId, before.lost]] : [])),
      );
      const rows = new Map(messages.map((row) => [row.body, row]));
      return taken.flatMap(({ to, text, atMs }) => {
        const since = left.get(to);
        if (since === undefined) return [];
        const row = rows.get(text);
        if (row && heirs.get(row.lead_id) === to) return [];
        const isLater = row !== undefined && row.created_at.getTime() > since;
        return isLater || atMs > since + attemptMs ? `${to} got "${text}" after its customer had left it` : [];
      });
    },
  },
];

type Ids = Pick<Seen['people'][number], 'storeId' | 'phone' | 'userId'>;

const isOf = ({ ids, storeId }: Changing, lead: Ids, lost?: string): boolean =>
  lead.storeId === storeId && [lead.phone, lead.userId].some((id) => id !== null && id !== lost && ids.includes(id));
