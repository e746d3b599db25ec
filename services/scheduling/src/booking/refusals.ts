import { dayMs } from '@mostrador/hours/local-days';
import { isExclusionViolation } from '@mostrador/kit/database/database';
import type { StoreContext } from '@mostrador/kit/rpc/context';
import { AppError } from '@mostrador/kit/rpc/errors';
import { type FoundTime, findFreeTimes, type Range, type Search } from '../availability/find-free-times.ts';
import type { Dependencies } from '../dependencies.ts';
import { insertFacts } from '../reports/appointment-fact.repository.ts';
import { refusedFact } from '../reports/appointment-facts.ts';
import type { Named } from './named.ts';

type BookedNames = Pick<Named, 'seller_id' | 'service_id'>;

const mostAlternatives = 5;
/** Alternatives begin at most this long after the time that was asked for. */
const alternativesWithinMs = 31 * dayMs;

/**
 * Runs a booking. To a refusal for a taken place it adds later times that are free, and counts it for the reports. The
 * constraint of the table has the last word, so its refusal means the same.
 */
export async function withAlternatives<Result>(
  { database }: Pick<Dependencies, 'database'>,
  context: StoreContext,
  search: Search & { readonly scheduled_at: Date; readonly named: BookedNames },
  book: () => Promise<Result>,
): Promise<Result> {
  try {
    return await book();
  } catch (error) {
    const isConflict = error instanceof AppError && error.code === 'appointment_conflict';
    if (!isConflict && !isExclusionViolation(error, 'bookings_place')) throw error;
    const from = search.scheduled_at.getTime();
    const range = { from, until: from + alternativesWithinMs };
    const [times] = await Promise.all([
      findAlternatives(database, context, search, range),
      countRefusal(database, context, search.named),
    ]);
    const starts = [...new Set(times.map(({ start }) => start))].slice(0, mostAlternatives);
    const alternatives = starts.map((start) => new Date(start).toISOString());
    throw new AppError('appointment_conflict', { members: { alternatives } });
  }
}

/** None when they cannot be found: the caller gets the refusal all the same. */
async function findAlternatives(
  database: Dependencies['database'],
  context: StoreContext,
  search: Search,
  range: Range,
): Promise<readonly FoundTime[]> {
  // Each seller who is free at a time is one of the found times.
  const most = mostAlternatives * Math.max(1, search.named.choice.sellers.length);
  try {
    return (await findFreeTimes({ database }, context, search, range, most)).times;
  } catch (error) {
    context.log.warn({ err: error }, 'a refused booking has no alternatives');
    return [];
  }
}

/** In its own transaction, because that of the booking is undone. The caller gets the refusal even when it cannot be counted. */
async function countRefusal(
  database: Dependencies['database'],
  context: StoreContext,
  named: BookedNames,
): Promise<void> {
  try {
    await database.write(context, (sql) => insertFacts(sql, context.storeId, [refusedFact(named)]));
  } catch (error) {
    context.log.warn({ err: error }, 'a refused booking is not counted in the reports');
  }
}
