/**
 * The different values of a filter such as `status=pending,in_progress`, in one order, so that a cursor fits them in any
 * order. Empty without a filter.
 */
export const valuesOf = (filter = ''): Set<string> =>
  new Set(
    filter
      .split(',')
      .map((value) => value.trim())
      .filter(Boolean)
      .toSorted(),
  );
