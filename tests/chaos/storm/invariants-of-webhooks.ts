import type { Invariant } from './invariant.ts';

/** Invariants of what webhook endpoints got. */
export const ofWebhooks: readonly Invariant[] = [
  {
    name: 'a webhook endpoint accepted every event of its feed',
    verdict: 'lost',
    find: (_, { feed, endpoints, webhooks }) => {
      const accepted = new Set(webhooks.flatMap(({ id, status }) => (status === 200 ? id : [])));
      const withEndpoint = new Set(endpoints.map(({ storeId }) => storeId));
      return feed.flatMap(({ id, storeId, sequence }) =>
        !withEndpoint.has(storeId) || accepted.has(id) ? [] : `the endpoint of ${storeId} lacks the event ${sequence}`,
      );
    },
  },
  {
    name: 'a webhook endpoint accepts the events of a row in their order',
    verdict: 'broken',
    find: (_, { webhooks }) => {
      const latest = new Map<string, number>();
      return webhooks.flatMap(({ storeId, entity, sequence, status }) => {
        if (status !== 200) return [];
        const row = `${storeId} ${entity}`;
        const isOlder = sequence < (latest.get(row) ?? 0);
        latest.set(row, Math.max(sequence, latest.get(row) ?? 0));
        return isOlder ? `the event ${sequence} of ${row} came after a later one` : [];
      });
    },
  },
  {
    name: 'every webhook is signed, and a repeated one has the same id',
    verdict: 'broken',
    find: (_, { feed, webhooks, forged }) => {
      const known = new Set(feed.map(({ id, storeId, sequence }) => `${storeId} ${sequence} ${id}`));
      return [
        ...forged,
        ...webhooks.flatMap(({ storeId, sequence, id }) =>
          known.has(`${storeId} ${sequence} ${id}`)
            ? []
            : `the webhook ${id} is not the event ${sequence} of ${storeId}`,
        ),
      ];
    },
  },
];
