import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { RpcClient } from '@mostrador/kit/rpc/client';

/** What the gateway's own operations need. */
export type Dependencies = {
  readonly database: Database;
  /** Reads every store and key: for what happens before a store is known. */
  readonly systemDatabase: SystemDatabase;
  readonly rpc: RpcClient;
  /** Tells every gateway to look for changed stores and keys now. A hint: each polls anyway. */
  readonly announceAccessChange: () => void;
};
