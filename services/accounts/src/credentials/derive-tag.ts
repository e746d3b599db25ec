import { argon2Sync } from 'node:crypto';

export type DeriveOptions = {
  readonly message: string;
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
  readonly nonce: Uint8Array;
  readonly tagLength: number;
};

/** Runs on a thread of the pool, which calls the default export. */
export default (options: DeriveOptions): Uint8Array => argon2Sync('argon2id', options);
