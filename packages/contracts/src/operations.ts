import { accountsOperations } from './accounts/operations.ts';
import { assistantOperations } from './assistant/operations.ts';
import type { KeyAccess, PersonAccess } from './core/access.ts';
import type { Http, Operation } from './core/operation.ts';
import { crmOperations } from './crm/operations.ts';
import { eventsOperations } from './events/operations.ts';
import { gatewayOperations } from './gateway/operations.ts';
import { messagingOperations } from './messaging/operations.ts';
import { schedulingOperations } from './scheduling/operations.ts';

/** Every operation by its name, in the order of the API document. No two have the same name. */
export const operations: Readonly<Record<string, Operation>> = {
  ...schedulingOperations,
  ...crmOperations,
  ...messagingOperations,
  ...eventsOperations,
  ...assistantOperations,
  ...gatewayOperations,
  ...accountsOperations,
};

/** An operation that the gateway serves at a path. */
export type PublicOperation = Omit<Operation, 'access'> & {
  readonly http: Http;
  readonly access: KeyAccess | PersonAccess;
};

const isPublic = (named: [string, Operation]): named is [string, PublicOperation] => named[1].http !== undefined;

/** The operations of the integrations API, and those that only people have, by their names. */
export const publicOperations: Readonly<Record<string, PublicOperation>> = Object.fromEntries(
  Object.entries(operations).filter(isPublic),
);
