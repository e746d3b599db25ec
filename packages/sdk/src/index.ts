import { bindRoutes, type ClientOptions, senderOf } from './client.ts';
import { type Feed, feedOf } from './events/feed.ts';
import { resources } from './generated/resources.ts';
import type { components, operations } from './generated/schema.ts';
import type { Callable, InputOf, OutputOf, Route } from './types.ts';

export type { ClientOptions } from './client.ts';
export type { FeedEvent, FeedEventOf, FollowInput, FollowOptions } from './events/feed.ts';
export type { EventPage, Follower } from './events/follower.ts';
export { ConnectionError, type ProblemCode, ProblemError } from './problem.ts';
export type { CallOptions, PendingCall, PendingList } from './types.ts';
export { type VerifyOptions, type WebhookHeaders, WebhookVerificationError } from './webhooks/signature.ts';
export { type WebhookEvent, webhooks } from './webhooks/webhooks.ts';

/** The named schemas of the API: `Schemas['Lead']`. */
export type Schemas = components['schemas'];
/** The input of an operation: `Input<'leads.create'>`. */
export type Input<Id extends keyof operations> = InputOf<operations[Id]>;
/** The body of an operation's success: `Output<'leads.list'>`. */
export type Output<Id extends keyof operations> = OutputOf<operations[Id]>;

type CallableOf<Of> = Of extends Route<infer Operation> ? Callable<Operation> : never;
type Resource<Routes> = { readonly [Name in keyof Routes]: CallableOf<Routes[Name]> };
type Resources = { readonly [Name in keyof typeof resources]: Resource<(typeof resources)[Name]> };

/** A function for each operation of the API, by resource: `client.leads.list({ status: ['pending'] })`. */
export type Client = Resources & { readonly events: Feed };

/** Makes a client of one store's API. It keeps no connection and no state, so one client may serve a whole program. */
export function createClient(options: ClientOptions): Client {
  const sender = senderOf(options);
  const bound = bindRoutes(resources, sender);
  return { ...bound, events: { ...bound.events, ...feedOf(sender) } } as unknown as Client;
}
