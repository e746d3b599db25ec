import { publicOperations } from '@mostrador/contracts';
import { type ApiRoute, type Route, toRoute } from './route.ts';

const all = Object.values(publicOperations).map(toRoute);

/** Below `apiPrefix`: what keys may call. */
export const routes: readonly ApiRoute[] = all.filter((route): route is ApiRoute => route.scope !== undefined);

/** Below `platformPrefix`: what people do with their session, and with the accounts and keys of their store. */
export const accountRoutes: readonly Route[] = all.filter(({ operation }) => operation.tenancy === 'none');

/** Also below it: what the gateway asks other services for a person. `GET /me` is about a key, and a person has none. */
export const personRoutes: readonly Route[] = [
  ...routes.filter(({ scope }) => scope !== null),
  ...all.filter(({ operation, scope }) => operation.tenancy === 'store' && scope === undefined),
];
