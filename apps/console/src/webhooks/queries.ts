import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { pageOf } from '../api/pages.ts';
import { dataOf, platform, type WebhookDelivery } from '../api/platform.ts';
import { queries } from '../api/queries.ts';

export const endpointsQuery = queryOptions({
  queryKey: ['webhooks', 'endpoints'],
  queryFn: async () => (await dataOf(platform.GET('/webhooks/endpoints', {}))).data,
});

export const endpointQuery = (endpointId: string) =>
  queryOptions({
    queryKey: ['webhooks', 'endpoint', endpointId],
    queryFn: () => dataOf(platform.GET('/webhooks/endpoints/{endpointId}', { params: { path: { endpointId } } })),
  });

// Nothing in the feed says how a delivery goes, so what is on its way is read again.
const whileUnderWay = 2_000;

export const deliveriesQuery = (endpointId: string, status: WebhookDelivery['status'] | undefined) =>
  infiniteQueryOptions({
    queryKey: ['webhooks', 'deliveries', endpointId, status],
    queryFn: ({ pageParam }) =>
      pageOf(
        platform.GET('/webhooks/endpoints/{endpointId}/deliveries', {
          params: { path: { endpointId }, query: { status, cursor: pageParam, limit: 25 } },
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) =>
      data?.pages[0]?.rows.some((delivery) => delivery.status === 'pending') ? whileUnderWay : false,
  });

export const deliveryQuery = (endpointId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['webhooks', 'delivery', endpointId, deliveryId],
    queryFn: () =>
      dataOf(
        platform.GET('/webhooks/endpoints/{endpointId}/deliveries/{deliveryId}', {
          params: { path: { endpointId, deliveryId } },
        }),
      ),
    refetchInterval: ({ state: { data } }) => (data?.status === 'pending' ? whileUnderWay : false),
  });

export const replayQuery = (endpointId: string, replayId: string) =>
  queryOptions({
    queryKey: ['webhooks', 'replay', endpointId, replayId],
    queryFn: () =>
      dataOf(
        platform.GET('/webhooks/endpoints/{endpointId}/replays/{replayId}', {
          params: { path: { endpointId, replayId } },
        }),
      ),
    refetchInterval: ({ state: { data } }) => (data?.status === 'running' ? whileUnderWay : false),
  });

/** After a change: everything of webhooks is read again where it is shown. */
export const webhooksChanged = () => queries.invalidateQueries({ queryKey: ['webhooks'] });
