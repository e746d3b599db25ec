import { mostAvailabilityDays } from '@mostrador/contracts';
import { dayMs } from '@mostrador/hours/local-days';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Range } from './find-free-times.ts';

/** @throws AppError `validation_failed` for a range that is too long */
export function rangeOf({ from, to }: { readonly from: string; readonly to: string }): Range {
  const range = { from: toInstant(from).getTime(), until: toInstant(to).getTime() };
  if (range.until - range.from > mostAvailabilityDays * dayMs) {
    throw validationFailed([
      { in: 'query', name: 'to', detail: `must be at most ${mostAvailabilityDays} days after \`from\`` },
    ]);
  }
  return range;
}
