import { mostAvailabilityDays } from '@mostrador/contracts';
import { dayMs } from '@mostrador/hours/local-days';
import { validationFailed } from '@mostrador/kit/rpc/errors';
import { toInstant } from '@mostrador/kit/rpc/validate';
import type { Range } from './find-free-times.ts';

/** @throws AppError `validation_failed` for a range without a moment, or one that is too long */
export function rangeOf({ from, to }: { readonly from: string; readonly to: string }): Range {
  const range = { from: toInstant(from).getTime(), until: toInstant(to).getTime() };
  const problem = (detail: string) => validationFailed([{ in: 'query', name: 'to', detail }]);
  if (range.until === range.from) throw problem('must be after `from`');
  if (range.until - range.from > mostAvailabilityDays * dayMs) {
    throw problem(`must be at most ${mostAvailabilityDays} days after \`from\``);
  }
  return range;
}
