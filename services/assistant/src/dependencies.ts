import type { EgressOfStores } from '@mostrador/kit/clients/egress';
import type { Vault } from '@mostrador/kit/clients/secrets';
import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Relay } from '@mostrador/kit/outbox/outbox';
import type { Tracing } from '@mostrador/kit/process/tracing';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import type { OpenModel } from './models/model.ts';
import type { EmbedderCall, ModelCall } from './models/model-metrics.ts';
import type { PriceList } from './prices/price-list.ts';

/** The dependencies of this service's handlers. */
export type Dependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly rpc: Pick<RpcClient, 'call'>;
  readonly relay: Pick<Relay, 'nudge'>;
  readonly vault: Vault;
  readonly egress: EgressOfStores;
  readonly openModel: OpenModel;
  /** What calls to models cost. Undefined: the operator has not said it. */
  readonly prices?: PriceList | undefined;
  /** Counts a call to a model. */
  readonly onModelCall: (call: ModelCall) => void;
  /** Counts a call to an embedder. */
  readonly onEmbedderCall: (call: EmbedderCall) => void;
  readonly tracing?: Tracing | undefined;
  /** Whether the operator has switched the AI of all stores off. */
  readonly isOff?: boolean;
};
