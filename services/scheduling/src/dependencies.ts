import type { EgressOfStores } from '@mostrador/kit/clients/egress';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Relay } from '@mostrador/kit/outbox/outbox';
import type { ProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import type { ListTotals } from '@mostrador/totals';
import type { OpenProvider } from './calendars/calendar-provider.ts';

/** The lists in `list_rows` of this schema (migrations/0022-list-rows.sql). */
export const schedulingLists = ['appointments', 'followups'] as const;
export type SchedulingTotals = ListTotals<(typeof schedulingLists)[number]>;

/** The dependencies of this service's handlers. */
export type Dependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly rpc: RpcClient;
  readonly relay: Relay;
  readonly listTotals: SchedulingTotals;
  readonly vault: Vault;
  readonly openProvider: OpenProvider;
  readonly egress: EgressOfStores;
  readonly circuit: ProviderCircuit;
  /** How long the pause between two looks at a Google calendar must be now, for the quota of all of them. */
  readonly fairPauseMs: () => number;
  /** The public address of the gateway, without a trailing slash. */
  readonly publicUrl: string;
};
