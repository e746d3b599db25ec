import type { CalendarConnection } from '@mostrador/contracts';
import { toTimestamp } from '@mostrador/kit/rpc/validate';

/** How the reading of a calendar goes. */
export type ReadingRow = {
  /** Failures in a row. */
  readonly attempts: number;
  readonly last_error_code: string | null;
  readonly last_error_detail: string | null;
  /** When the calendar last answered what has changed. Null: never. */
  readonly listed_at: Date | null;
};

/** The error of a calendar that lost most of its events. */
export const emptied = {
  code: 'calendar_emptied',
  detail:
    'Most events of the appointments are missing in the calendar at once, so none of them is cancelled. Restore the ' +
    'calendar, or connect it again: then the events are written again.',
};

const notRead = {
  code: 'calendar_not_read',
  detail:
    'The calendar cannot be read, so changes that people make there are not seen. It is asked again at intervals.',
};

/** Fewer may be a short fault of the provider. */
export const attemptsUntilTold = 5;

type Health = Required<Pick<CalendarConnection, 'status' | 'reason'>>;

/**
 * The health of a connection whose calendar is also read: `degraded` while changes that people make there are not seen. What
 * writing says comes first. The reason has no text of the provider.
 */
export function withReading(health: Health, reading: ReadingRow | undefined, connectedAt: Date): Health {
  if (health.status !== 'connected' || !reading?.last_error_code) return health;
  const { attempts, last_error_code: code, listed_at } = reading;
  if (attempts < attemptsUntilTold && code !== emptied.code) return health;
  const reason = code === emptied.code ? emptied : notRead;
  return { status: 'degraded', reason: { ...reason, since: toTimestamp(listed_at ?? connectedAt) } };
}

/** The same for operators: what the last attempt to read said, and when the calendar last answered. */
export const toReading = (reading: ReadingRow | undefined) => ({
  read_at: reading?.listed_at ? toTimestamp(reading.listed_at) : null,
  reading_error: reading?.last_error_code ? `${reading.last_error_code}: ${reading.last_error_detail}` : null,
});
