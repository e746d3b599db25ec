import type { Random } from '@mostrador/testing/random';
import type { FuzzPlatform } from './platform.ts';

/** One kind of random input. */
export type Part = {
  readonly name: string;
  /** Runs until `until` (epoch milliseconds). Resolves with the number of tries. */
  run(options: {
    readonly platform: FuzzPlatform;
    readonly random: Random;
    readonly until: number;
    /** Reports a fault. Each kind counts once. */
    finding(what: string): void;
  }): Promise<number>;
};
