import type { OpenLoadResult } from '../shared/load/open-load.ts';
import type { Neighbour } from './neighbour.ts';

export type MixedPlan = {
  /** The duration of each rate in each round. */
  readonly seconds: number;
  readonly rounds: number;
  /** Numbers of stores. Each number gets its own platform. */
  readonly stores: readonly number[];
  /** Requests per second, in rising order. */
  readonly rates: readonly number[];
};

export type MixedStep = OpenLoadResult & { readonly stores: number; readonly rate: number; readonly round: number };

/** A measurement of some stores, quiet or beside another store. */
export type Beside = OpenLoadResult & {
  /** null: quiet. */
  readonly neighbour: Neighbour | null;
  /** The platform's processor time per request of the other stores, by process. It includes the other store's. */
  readonly cpuMs: Readonly<Record<string, number>>;
};

export type MixedFindings = {
  readonly plan: MixedPlan;
  readonly settings: readonly string[];
  readonly machine: readonly string[];
  readonly steps: readonly MixedStep[];
  readonly beside: readonly Beside[];
};
