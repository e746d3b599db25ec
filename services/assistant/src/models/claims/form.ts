import type { Effect } from './deeds.ts';

/**
 * A form of a claim. `has`: the customer has an appointment. `isActive`: who has done it says so, and a question after it
 * does not take it back. `within`: what stands in it. `behind`, `ahead`: what stands before and after it.
 */
export type Form = {
  readonly kind: Effect | 'has';
  readonly pattern: RegExp;
  readonly isActive?: boolean;
  readonly within?: RegExp;
  readonly behind?: RegExp;
  readonly ahead?: RegExp;
};
