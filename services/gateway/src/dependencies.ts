import type { Database } from '@mostrador/kit/database/database';
import type { RpcClient } from '@mostrador/kit/rpc/client';

/** What the gateway's own operations need. */
export type Dependencies = {
  /** Reads the store of a request. */
  readonly database: Database;
  readonly rpc: RpcClient;
  /** The workflows in Temporal's UI; null: its address is not known. */
  readonly workflowsUrl: string | null;
};
