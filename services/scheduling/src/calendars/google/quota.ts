import { minuteMs } from '@mostrador/hours/local-days';
import { counter, gauge, type MetricDefinition, type Registered } from '@mostrador/kit/process/metrics';
import type { GoogleAccount } from './tokens.ts';

export const googleMetrics = {
  requests: {
    name: 'mostrador_google_calendar_requests_total',
    type: 'counter',
    help: 'Requests to Google Calendar, by their result. Google allows an OAuth project 10,000 a minute.',
    labels: { result: '`answered`, `limited` by Google, `failed` without an answer' },
  },
  busiestAccount: {
    name: 'mostrador_google_calendar_busiest_account_requests',
    type: 'gauge',
    help:
      'The most requests that this process sent for one Google account in a minute: the present one, or the one before. ' +
      'Google allows an account 600.',
  },
} as const satisfies Record<string, MetricDefinition>;

/** How a request ended. */
export type RequestResult = 'answered' | 'limited' | 'failed';

/** Counts a request of an account against the quotas of Google. */
export type CountRequest = (account: Pick<GoogleAccount, 'clientId' | 'refreshToken'>, result: RequestResult) => void;

/** Returns the function that counts a request. A process sees its own requests only. */
export function countGoogleRequests(metrics: Registered, now: () => number = Date.now): CountRequest {
  const requests = counter(metrics, googleMetrics.requests);
  let minute = 0;
  let mostBefore = 0;
  let most = 0;
  const ofAccounts = new Map<string, number>();

  function followClock(): void {
    const present = Math.floor(now() / minuteMs);
    if (present === minute) return;
    mostBefore = present === minute + 1 ? most : 0;
    minute = present;
    most = 0;
    ofAccounts.clear();
  }

  gauge(metrics, googleMetrics.busiestAccount, (each) => {
    followClock();
    each.set(Math.max(mostBefore, most));
  });
  return ({ clientId, refreshToken }, result) => {
    requests.inc({ result });
    followClock();
    const account = `${clientId} ${refreshToken}`;
    const count = (ofAccounts.get(account) ?? 0) + 1;
    ofAccounts.set(account, count);
    most = Math.max(most, count);
  };
}
