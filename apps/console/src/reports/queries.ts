import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { dataOf, platform } from '../api/platform.ts';
import type { Period } from './report-search.ts';

export const storeQuery = queryOptions({
  queryKey: ['store'],
  queryFn: () => dataOf(platform.GET('/store')),
  staleTime: 300_000,
});

const readSummary = (period: Period) => dataOf(platform.GET('/reports/summary', { params: { query: { ...period } } }));

export type Summary = Awaited<ReturnType<typeof readSummary>>;

export const summaryQuery = (period: Period) =>
  queryOptions({
    queryKey: ['reports', period],
    queryFn: () => readSummary(period),
    placeholderData: keepPreviousData,
  });

/** The address of the same report as a table. Spreadsheets in most languages but English expect semicolons. */
export function csvAddress({ from, to, bucket }: Period, locale: string): string {
  const delimiter = locale === 'en' ? 'comma' : 'semicolon';
  const query = new URLSearchParams({ from, to, bucket, format: 'csv', bom: 'true', delimiter });
  return `/platform/v1/reports/summary?${query}`;
}

/** What the AI has used. Its days are in UTC. */
export const usageQuery = ({ from, to }: Period) =>
  queryOptions({
    queryKey: ['ai-usage', from, to],
    queryFn: () => dataOf(platform.GET('/ai/usage', { params: { query: { from, to } } })),
  });
