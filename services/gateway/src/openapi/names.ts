import { type Operation, operations } from '@mostrador/contracts';

/** The names of the operations in the contracts, such as `createLead`. */
const operationNames = new Map(Object.entries(operations).map(([name, operation]) => [operation, name]));

/** The name of an operation in the contracts. No two operations have the same. */
export function operationNameOf(operation: Operation): string {
  const name = operationNames.get(operation);
  if (name === undefined) throw new Error(`the contracts have no name for ${operation.subject}`);
  return name;
}

/** The name of an operation's request or reply whose schema has none: `CreateLeadRequest`. */
export function nameOf(operation: Operation, what: 'Request' | 'Response'): string {
  const name = operationNameOf(operation);
  return `${name[0]?.toUpperCase()}${name.slice(1)}${what}`;
}

/** The id of a route's operation in the document, such as `leads.create`. */
export function operationIdOf({ operation }: { readonly operation: Operation }): string {
  const [, , resource = '', verb = ''] = operation.subject.split('.');
  return `${resource}.${verb}`;
}
