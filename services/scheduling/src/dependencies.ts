import type { EgressOfStores } from '@mostrador/kit/clients/egress';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Relay } from '@mostrador/kit/delivery/outbox';
import type { ProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import type { OpenProvider } from './calendars/calendar-provider.ts';
import type { SchedulingTotals } from './list-totals.ts';

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
  /** The public address of the gateway, without a trailing slash. */
  readonly publicUrl: string;
};
