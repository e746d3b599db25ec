import type { BookingRules } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';

/** A row of `booking_rules`. */
export type RulesRow = BookingRules & {
  readonly store_id: string;
  /** The zone of the store. */
  readonly timezone: string;
  /** Raised by every change: the ETag. */
  readonly version: number;
};

/** The row as the API shows it. */
export function toRules({
  store_id: _storeId,
  timezone: _timezone,
  version: _version,
  ...rules
}: RulesRow): BookingRules {
  return rules;
}

/** @throws AppError `booking_rules_not_found` for a store without rules */
export function requireRules(rules: RulesRow | undefined): RulesRow {
  if (!rules) {
    // The words of the code itself are about a store whose rules allow overlaps.
    throw new AppError('booking_rules_not_found', {
      detail: 'The store has no booking rules. Set them with `PUT /booking/rules`.',
    });
  }
  return rules;
}
