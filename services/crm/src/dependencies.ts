import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Relay } from '@mostrador/kit/outbox/outbox';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import type { ListTotals } from '@mostrador/totals';

/** The lists in `list_rows` of this schema (migrations/0024-list-rows.sql). */
export const crmLists = ['agents', 'documents', 'leads', 'sellers'] as const;
export type CrmTotals = ListTotals<(typeof crmLists)[number]>;

/** The dependencies of this service's handlers. */
export type Dependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly relay: Pick<Relay, 'nudge'>;
  readonly rpc: Pick<RpcClient, 'call'>;
  readonly listTotals: CrmTotals;
};
