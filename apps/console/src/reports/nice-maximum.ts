/** A round number at or above the greatest value, for the end of an axis: a few times a power of ten. */
export function niceMaximum(values: readonly number[]): number {
  const most = Math.max(...values, 1);
  const power = 10 ** Math.floor(Math.log10(most));
  return ([1, 2, 3, 4, 5, 6, 8].find((step) => step * power >= most) ?? 10) * power;
}
