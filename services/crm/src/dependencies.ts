import type { Database, SystemDatabase } from '@mostrador/kit/database/database';
import type { Relay } from '@mostrador/kit/delivery/outbox';

/** What the handlers of this service work with. */
export type Dependencies = {
  readonly database: Database;
  readonly systemDatabase: SystemDatabase;
  readonly relay: Pick<Relay, 'nudge'>;
};
