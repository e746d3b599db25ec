import type { OpenLoadResult } from '../shared/load/open-load.ts';

export type MixedPlan = {
  /** Of each rate, in each round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Stores in the database: a platform for each number. */
  readonly stores: readonly number[];
  /** Requests a second, rising. */
  readonly rates: readonly number[];
};

export type MixedStep = OpenLoadResult & { readonly stores: number; readonly rate: number; readonly round: number };

export type MixedFindings = {
  readonly plan: MixedPlan;
  readonly settings: readonly string[];
  readonly machine: readonly string[];
  readonly steps: readonly MixedStep[];
};
