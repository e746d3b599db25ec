import type { EgressOfStores } from '@mostrador/kit/clients/egress';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Relay } from '@mostrador/kit/outbox/outbox';
import type { ProviderCircuit } from '@mostrador/kit/resilience/provider-circuit';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import type { ListTotals } from '@mostrador/totals';
import type { OpenStoreChannel } from './channels/providers.ts';
import type { DeliveryNotices } from './delivery/delivery-notices.ts';
import type { DeliveryLimits } from './delivery/limits.ts';
import type { Pump } from './delivery/pump.ts';
import type { InboundProcessor } from './inbound/inbound-processor.ts';
import type { OutcomeWaiters } from './messages/outcome-waiters.ts';

/** The lists in `list_rows` of this schema (migrations/0040-list-rows.sql). */
export const messagingLists = ['conversations', 'messages'] as const;
export type MessagingTotals = ListTotals<(typeof messagingLists)[number]>;

/** As whom the telephone of a sandbox writes, and how long its address works. */
export type Telephone = { readonly writesAs: 'off' | 'own' | 'any'; readonly days: number };

/** The dependencies of the handlers. `main.ts` builds them. */
export type Dependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly rpc: RpcClient;
  readonly listTotals: MessagingTotals;
  readonly relay: Pick<Relay, 'nudge' | 'isBehind'>;
  readonly outcomes: OutcomeWaiters;
  readonly inbound: Pick<InboundProcessor, 'ingest'>;
  readonly vault: Vault;
  readonly openChannel: OpenStoreChannel;
  readonly egress: EgressOfStores;
  readonly circuit: ProviderCircuit;
  readonly limits: DeliveryLimits;
  readonly notices: DeliveryNotices;
  readonly pump: Pump;
  readonly telephone: Telephone;
  /** The gateway's public URL, without a trailing slash. */
  readonly publicUrl: string;
};
