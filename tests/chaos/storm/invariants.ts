import { countOneMore, type Invariant } from './invariant.ts';
import { ofAnswers } from './invariants-of-answers.ts';
import { ofBookings } from './invariants-of-bookings.ts';
import { ofIdentities } from './invariants-of-identities.ts';
import { ofKeys } from './invariants-of-keys.ts';
import { ofMessages } from './invariants-of-messages.ts';
import { ofTheFeed } from './invariants-of-the-feed.ts';
import { ofWebhooks } from './invariants-of-webhooks.ts';
import { ofWorkflows } from './invariants-of-workflows.ts';
import type { Entry, Journal } from './journal.ts';
import type { Seen } from './seen.ts';

export const invariants: readonly Invariant[] = [
  ...ofKeys,
  ...ofMessages,
  ...ofIdentities,
  ...ofWorkflows,
  ...ofTheFeed,
  ...ofWebhooks,
  ...ofBookings,
  ...ofAnswers,
  {
    name: 'every outbox and the inbox are empty',
    verdict: 'lost',
    find: (_, { waiting }) =>
      waiting.filter(({ count }) => count > 0).map(({ where, count }) => `${where} has ${count} entries left`),
  },
  {
    name: 'every creation is published',
    verdict: 'lost',
    find: (_, seen) =>
      publications(seen).flatMap(({ id, times }) => (times === 0 ? `the creation of ${id} was not published` : [])),
  },
  {
    name: 'no creation is published twice',
    verdict: 'doubled',
    find: (_, seen) =>
      publications(seen).flatMap(({ id, times }) =>
        times > 1 ? `the creation of ${id} was published ${times} times` : [],
      ),
  },
  {
    name: 'every calendar shows each appointment once, up to date, and nothing else',
    verdict: 'broken',
    find: (_, seen) => calendarFaults(seen),
  },
  { name: 'no row, workflow or event belongs to another store', verdict: 'broken', find: findForeign },
  { name: 'no table or index is corrupt', verdict: 'broken', find: (_, { corruption }) => corruption },
  {
    name: 'no process ended by itself',
    verdict: 'broken',
    find: (_, { endings }) =>
      endings.map(({ process, how, at, lastLine }) => `${process} ended (${how}) at ${at}: ${lastLine}`),
  },
];

const createdEvents: Readonly<Partial<Record<Entry['kind'], string>>> = {
  appointment: 'scheduling.appointment.created',
  booking: 'scheduling.appointment.created',
  lead: 'crm.lead.created',
  followup: 'scheduling.followup.scheduled',
};

function publications({ rows, published }: Seen): { id: string; times: number }[] {
  const times = new Map<string, number>();
  for (const { type, entityId } of published) countOneMore(times, `${type} ${entityId}`);
  return rows.flatMap(({ kind, id }) => {
    const type = createdEvents[kind];
    return type === undefined ? [] : { id, times: times.get(`${type} ${id}`) ?? 0 };
  });
}

function calendarFaults({ rows, calendars }: Seen): string[] {
  const appointments = Map.groupBy(
    rows.filter(({ kind, status }) => kind === 'appointment' && status !== 'cancelled'),
    ({ store_id }) => store_id,
  );
  return calendars.flatMap(({ storeId, kind, events }) => {
    const titles = Map.groupBy(events, ({ id }) => id);
    const faults: string[] = [];
    for (const { id, content } of appointments.get(storeId) ?? []) {
      const found = titles.get(id) ?? [];
      titles.delete(id);
      if (found.length !== 1) faults.push(`the ${kind} shows ${id} ${found.length} times`);
      else if (found[0]?.title !== content.title) faults.push(`the ${kind} shows an old version of ${id}`);
    }
    return [...faults, ...[...titles.keys()].map((id) => `a ${kind} shows ${id}, which it must not`)];
  });
}

function findForeign(
  { entries }: Pick<Journal, 'entries'>,
  { rows, workflows, published, feed, strays }: Seen,
): string[] {
  const storeOf = new Map(rows.map(({ id, store_id }) => [id, store_id]));
  const asked = new Map(entries.map(({ mark, storeId }) => [mark, storeId]));
  const isElsewhere = (id: string, storeId: string) => storeOf.has(id) && storeOf.get(id) !== storeId;
  return [
    ...strays,
    ...rows
      .filter(({ mark, store_id }) => asked.has(mark) && asked.get(mark) !== store_id)
      .map(({ kind, id }) => `the ${kind} ${id} is not in the store whose client created it`),
    ...workflows
      .filter(({ id, storeId }) => isElsewhere(id.slice(id.indexOf(':') + 1), storeId))
      .map(({ id }) => `the workflow ${id} names another store than its row`),
    ...[...published, ...feed]
      .filter(({ entityId, storeId }) => isElsewhere(entityId, storeId))
      .map(({ type, entityId }) => `${type} of ${entityId} names another store than its row`),
  ];
}
