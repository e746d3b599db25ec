/** A round number at or above the greatest value, for the end of an axis: 1, 2 or 5 times a power of ten. */
export function niceMaximum(values: readonly number[]): number {
  const most = Math.max(...values, 1);
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 5].find((step) => step * power >= most) ?? 10) * power;
}
