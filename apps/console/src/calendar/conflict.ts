import type { Appointment } from './appointment-queries.ts';

type Time = {
  /** In epoch ms. */
  readonly start: number;
  readonly minutes: number;
  /** Null: a place of the store, or the first person who is free. */
  readonly sellerId: string | null;
};

type Known = {
  /** The starts that are free on that day. The place of `own` counts as free. */
  readonly free: readonly string[];
  /** The appointments of that day. */
  readonly others: readonly Appointment[];
  /** What is moved. */
  readonly own?: Appointment | undefined;
};

const timeOf = ({ scheduled_at, duration_minutes, seller_id = null }: Appointment): Time => ({
  ...{ start: Date.parse(scheduled_at), minutes: duration_minutes, sellerId: seller_id },
});
const overlaps = (one: Time, other: Time): boolean =>
  one.start < other.start + other.minutes * 60_000 && other.start < one.start + one.minutes * 60_000;

/**
 * What stands against a time, as far as it is known before it is saved: the appointment that takes it, or that it is not
 * one of the free times. The store has the last word.
 */
export function conflictOf(wanted: Time, { free, others, own }: Known): Appointment | 'not free' | undefined {
  if (free.some((start) => Date.parse(start) === wanted.start)) return undefined;
  const rival = others.find(
    (other) =>
      other.id !== own?.id &&
      other.status === 'scheduled' &&
      wanted.sellerId !== null &&
      other.seller_id === wanted.sellerId &&
      overlaps(timeOf(other), wanted),
  );
  return rival ?? 'not free';
}
