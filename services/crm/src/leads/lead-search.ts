import { faultsOfSearch } from '@mostrador/contracts';
import { phoneForms } from '@mostrador/kit/phones/canonical-phone';
import { validationFailed } from '@mostrador/kit/rpc/errors';

/** What a search looks for: leads whose text has all of the words, or one of the spellings. */
export type LeadSearch = {
  /** At least one. Each begins and ends with a letter or a digit. */
  readonly words: readonly string[];
  /** The digits of a phone with spaces and signs, in all forms of the phone. */
  readonly spellings: readonly string[];
};

/** A search finds at most this many leads through the index. One that finds more looks at the leads in their order. */
export const mostFound = 10_000;

const outside = /^[^\p{L}\p{N}\p{M}]+|[^\p{L}\p{N}\p{M}]+$/gu;
const phone = /^[\d\s+().\-/]+$/;

/** Reads a search. @throws AppError `validation_failed` when it has fewer than 2 letters and digits */
export function readSearch(q: string): LeadSearch {
  const words = q
    .split(/\s+/)
    .map((word) => word.replace(outside, ''))
    .filter(Boolean);
  const faults = faultsOfSearch(q);
  if (faults.length > 0) throw validationFailed(faults);
  const digits = q.replace(/\D/g, '');
  const isPhone = phone.test(q) && digits.length > 2;
  return { words, spellings: isPhone ? [...new Set([digits, ...phoneForms(digits)])] : [] };
}
