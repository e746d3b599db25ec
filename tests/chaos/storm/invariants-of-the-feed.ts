import { countOneMore, type Invariant } from './invariant.ts';
import type { Kind } from './journal.ts';
import type { FeedEvent, Seen } from './seen.ts';

const createdEvents: Readonly<Record<Kind, string>> = {
  appointment: 'appointment.created',
  booking: 'appointment.created',
  lead: 'lead.created',
  message: 'message.queued',
  followup: 'followup.scheduled',
};

/** Invariants of the public event feed and of its readers. */
export const ofTheFeed: readonly Invariant[] = [
  {
    name: 'every creation is in the feed of its store',
    verdict: 'lost',
    find: (_, { rows, feed }) => {
      const there = new Set(feed.map(({ type, entityId, storeId }) => `${type} ${entityId} ${storeId}`));
      return rows.flatMap(({ kind, id, store_id }) =>
        there.has(`${createdEvents[kind]} ${id} ${store_id}`) ? [] : `the feed lacks the creation of ${id}`,
      );
    },
  },
  {
    name: 'nothing is in a feed twice',
    verdict: 'doubled',
    find: (_, { feed }) => {
      const times = new Map<string, number>();
      for (const { id, type, entityId } of feed) {
        countOneMore(times, `the event ${id}`);
        if (isCreation.has(type)) countOneMore(times, `${type} of ${entityId}`);
      }
      return [...times].flatMap(([what, count]) => (count > 1 ? `${what} is in the feed ${count} times` : []));
    },
  },
  {
    name: 'the numbers of a feed have no gap',
    verdict: 'lost',
    find: (_, { feed }) =>
      feeds(feed).flatMap(([storeId, events]) =>
        events.every(({ sequence }, index) => sequence === index + 1)
          ? []
          : `the feed of ${storeId} does not have the numbers from 1 to ${events.length}`,
      ),
  },
  {
    name: 'the events of a row are in the feed in their order',
    verdict: 'broken',
    find: (_, { feed }) => {
      const latest = new Map<string, number>();
      return feed.toSorted(bySequence).flatMap(({ id, entityType, entityId, version }) => {
        const entity = `${entityType} ${entityId}`;
        const isOlder = version <= (latest.get(entity) ?? 0);
        latest.set(entity, version);
        return isOlder ? `the event ${id} of the ${entity} comes after a later one` : [];
      });
    },
  },
  {
    name: 'a reader of a feed gets every event once, in order',
    verdict: 'lost',
    find: ({ followed }, { feed }) => {
      const byStore = new Map(feeds(feed));
      return followed.flatMap(({ storeId, by, events }) => {
        const expected = byStore.get(storeId) ?? [];
        const at = expected.findIndex(({ id }, index) => events[index]?.id !== id);
        if (at >= 0) return `a reader by ${by} has another event than number ${at + 1} of ${storeId}`;
        return events.length > expected.length ? `a reader by ${by} has more events than the feed of ${storeId}` : [];
      });
    },
  },
];

const isCreation = new Set(Object.values(createdEvents));

const bySequence = (one: FeedEvent, other: FeedEvent): number => one.sequence - other.sequence;

const feeds = (feed: Seen['feed']): [string, FeedEvent[]][] =>
  [...Map.groupBy(feed, ({ storeId }) => storeId)].map(([storeId, events]) => [storeId, events.toSorted(bySequence)]);
