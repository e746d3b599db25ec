import type { SystemDatabase } from '@mostrador/kit/database/database';
import type { RpcClient } from '@mostrador/kit/rpc/client';

/** What the gateway's own operations need. */
export type Dependencies = {
  /** The connections that find keys also read the store of a request. */
  readonly lookUps: SystemDatabase;
  readonly rpc: RpcClient;
  /** The workflows in Temporal's UI; null: its address is not known. */
  readonly workflowsUrl: string | null;
};
