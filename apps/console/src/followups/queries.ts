import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { pageOf } from '../api/pages.ts';
import { dataOf, platform } from '../api/platform.ts';
import { queries } from '../api/queries.ts';
import type { FollowupSearch, State } from './followup-state.ts';

const dayMs = 86_400_000;

/** The beginning of a day, so that it stays the same while a person pages through the list. */
const daysAgo = (days: number): string => `${new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)}T00:00:00Z`;

export function followupsQuery(state: State, { days }: FollowupSearch) {
  const query = { status: [state], from: days && daysAgo(Number(days)), limit: 25 };
  return infiniteQueryOptions({
    queryKey: ['followups', 'list', query],
    queryFn: ({ pageParam }) =>
      pageOf(platform.GET('/followups/scheduled', { params: { query: { ...query, cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  });
}

const mostReminders = 50;

/** The reminders of an appointment. They name its lead, because sellers see the follow-ups of their own leads only. */
export const remindersQuery = (appointment_id: string, lead_id: string) =>
  queryOptions({
    queryKey: ['followups', 'of appointment', appointment_id],
    queryFn: async () => {
      const query = { appointment_id, lead_id, limit: mostReminders };
      return (await dataOf(platform.GET('/followups/scheduled', { params: { query } }))).data;
    },
  });

export const followupsChanged = () => queries.invalidateQueries({ queryKey: ['followups'] });
