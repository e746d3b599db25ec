import { bindRoutes, type ClientOptions } from './client.ts';
import { resources } from './generated/resources.ts';
import type { components, operations } from './generated/schema.ts';
import type { Callable, InputOf, OutputOf, Route } from './types.ts';

export type { ClientOptions } from './client.ts';
export { ConnectionError, type ProblemCode, ProblemError } from './problem.ts';
export type { CallOptions, PendingCall, PendingList } from './types.ts';

/** The named schemas of the API: `Schemas['Lead']`. */
export type Schemas = components['schemas'];
/** The input of an operation: `Input<'leads.create'>`. */
export type Input<Id extends keyof operations> = InputOf<operations[Id]>;
/** The body of an operation's success: `Output<'leads.list'>`. */
export type Output<Id extends keyof operations> = OutputOf<operations[Id]>;

type CallableOf<Of> = Of extends Route<infer Operation> ? Callable<Operation> : never;
type Resource<Routes> = { readonly [Name in keyof Routes]: CallableOf<Routes[Name]> };

/** A function for each operation of the API, by resource: `client.leads.list({ status: ['pending'] })`. */
export type Client = { readonly [Name in keyof typeof resources]: Resource<(typeof resources)[Name]> };

/** Makes a client of one store's API. It keeps no connection and no state, so one client may serve a whole program. */
export const createClient = (options: ClientOptions): Client => bindRoutes(resources, options) as unknown as Client;
