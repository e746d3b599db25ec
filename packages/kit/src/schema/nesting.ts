/** Deeper than any valid request, and far less than the depth that exhausts the stack. */
export const greatestDepth = 64;

/** The detail of the fault. */
export const tooDeep = `must not be nested more than ${greatestDepth} deep`;

/** Whether a JSON value is nested too deep. It stops at the limit, so that no value exhausts the stack. */
export function isTooDeep(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return depth === greatestDepth || Object.values(value).some((member) => isTooDeep(member, depth + 1));
}
