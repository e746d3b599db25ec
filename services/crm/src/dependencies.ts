import type { Relay } from '@mostrador/kit/outbox';
import type { Database } from '@mostrador/kit/postgres';

/** What the handlers of this service work with. */
export type Dependencies = { readonly database: Database; readonly relay: Pick<Relay, 'nudge'> };
