import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { Failure } from '../api/failure.ts';
import { pageOf } from '../api/pages.ts';
import { dataOf, platform, type StoreEvent, versionedOf } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import { type LeadSearch, queryOf } from './lead-search.ts';

const pathOf = (leadId: string) => ({ path: { leadId } });

export function leadsQuery(search: LeadSearch) {
  const query = queryOf(search);
  return infiniteQueryOptions({
    queryKey: ['leads', 'list', query],
    queryFn: ({ pageParam, signal }) =>
      pageOf(
        platform.GET('/leads', { params: { query: { ...query, cursor: pageParam, limit: 50 } as never }, signal }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    // The rows of the last filters stay until those of the next ones are there.
    placeholderData: (before) => before,
  });
}

/** The lead with its version. */
export const leadQuery = (leadId: string) =>
  queryOptions({
    queryKey: ['lead', leadId, 'version'],
    queryFn: () => versionedOf(platform.GET('/leads/{leadId}', { params: pathOf(leadId) })),
  });

/** Leads to choose from: those with the words, or those that changed last. */
export const leadChoicesQuery = (text: string) => {
  const { q } = queryOf({ q: text });
  return queryOptions({
    queryKey: ['leads', 'choices', q],
    queryFn: async () =>
      (await dataOf(platform.GET('/leads', { params: { query: { q, limit: 8, sort: '-updated_at' } } }))).data,
    placeholderData: (before) => before,
  });
};

export const shownMessages = 20;

export const lastMessagesQuery = (leadId: string) =>
  queryOptions({
    queryKey: ['messages', leadId, 'last'],
    queryFn: async () =>
      (
        await dataOf(
          platform.GET('/leads/{leadId}/messages', { params: { ...pathOf(leadId), query: { limit: shownMessages } } }),
        )
      ).data,
  });

const mostPlans = 200;

export const appointmentsOfLeadQuery = (leadId: string) =>
  queryOptions({
    queryKey: ['appointments', 'of lead', leadId],
    queryFn: async () =>
      (await dataOf(platform.GET('/appointments', { params: { query: { lead_id: leadId, limit: mostPlans } } }))).data,
  });

export const followupsOfLeadQuery = (leadId: string) =>
  queryOptions({
    queryKey: ['followups', 'of lead', leadId],
    queryFn: async () =>
      (await dataOf(platform.GET('/followups/scheduled', { params: { query: { lead_id: leadId, limit: mostPlans } } })))
        .data,
  });

/** The newest events that are looked through: an answer looks through 2,000. */
const lookedThrough = 20_000;

const readEvents = (leadId: string, after: number) =>
  dataOf(
    platform.GET('/events', {
      params: { query: { after, entity_id: leadId, types: 'lead.created,lead.updated' as never, limit: 200 } },
    }),
  );

/** What the event log still says about the lead, oldest first. */
export const changesOfLeadQuery = (leadId: string) =>
  queryOptions({
    queryKey: ['lead', leadId, 'changes'],
    queryFn: async () => {
      const { next: newest } = await readEvents(leadId, -1);
      const events: StoreEvent[] = [];
      let after = Math.max(0, newest - lookedThrough);
      while (after < newest) {
        const from = after;
        const part = await readEvents(leadId, from).catch((error: unknown) => {
          // The log does not reach back as far. 0 is its beginning.
          if (from > 0 && error instanceof Failure && error.code === 'cursor_expired') return readEvents(leadId, 0);
          throw error;
        });
        events.push(...part.data);
        if (part.next <= after) break;
        after = part.next;
      }
      return events;
    },
  });

/** After a change to a lead: what shows it is read again. */
export const leadChanged = (leadId: string) =>
  Promise.all([
    queries.invalidateQueries({ queryKey: ['lead', leadId] }),
    queries.invalidateQueries({ queryKey: ['leads'] }),
    queries.invalidateQueries({ queryKey: ['conversations'] }),
  ]);
