import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Relay } from '@mostrador/kit/delivery/outbox';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import type { CrmTotals } from './list-totals.ts';

/** The dependencies of this service's handlers. */
export type Dependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly relay: Pick<Relay, 'nudge'>;
  readonly rpc: Pick<RpcClient, 'call'>;
  readonly listTotals: CrmTotals;
};
