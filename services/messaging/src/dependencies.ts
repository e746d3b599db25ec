import type { Database } from '@mostrador/kit/postgres';

/** What the handlers of this service work with. */
export type Dependencies = { readonly database: Database };
