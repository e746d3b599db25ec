import type { Random } from '@mostrador/testing/random';
import type { FuzzPlatform } from './platform.ts';

/** One way of throwing things at the platform. */
export type Part = {
  readonly name: string;
  /** Tries until the moment (epoch ms) has come. Resolves to how often it tried. */
  run(options: {
    readonly platform: FuzzPlatform;
    readonly random: Random;
    readonly until: number;
    /** Something happened that must not; told once for each kind. */
    finding(what: string): void;
  }): Promise<number>;
};
