import { tiers } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance } from 'fastify';
import type { Access } from '../access/access.ts';
import type { ApiRoute, Route } from '../routes/route.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyContextConfig {
    /** The API route that this Fastify route serves. */
    apiRoute?: Route;
  }
}

/**
 * Checks the store's tier and the key's scopes before the body is read: 403. Needs `request.access`.
 *
 * A route that declares no scope stops the start. If a request reached one anyway, it would find no route.
 */
export function addPermission(api: FastifyInstance): void {
  api.addHook('onRoute', ({ method, url, config }) => {
    if (config?.apiRoute?.scope === undefined) throw new Error(`the route ${method} ${url} declares no scope`);
  });
  api.addHook('onRequest', (request, _reply, done) => {
    const { apiRoute } = request.routeOptions.config;
    done(apiRoute ? refusal(apiRoute as ApiRoute, request.access) : new AppError('route_not_found'));
  });
}

/** The error if this key may not call the route; undefined if it may. */
export function refusal(
  route: Pick<ApiRoute, 'tier' | 'scope' | 'alsoScope'>,
  access: Pick<Access, 'tier' | 'scopes'>,
): AppError | undefined {
  const refused = tierRefusal(route, access);
  const lacking = [route.scope, route.alsoScope].find((scope) => scope && !access.scopes.has(scope));
  if (refused || !lacking) return refused;
  return new AppError('scope_required', {
    detail: `The key lacks the scope \`${lacking}\`. Use a key that has it.`,
    members: { required_scope: lacking },
  });
}

/** The error if the route needs a higher tier of the store. */
export function tierRefusal(route: Pick<Route, 'tier'>, access: Pick<Access, 'tier'>): AppError | undefined {
  if (route.tier && tiers.indexOf(access.tier) < tiers.indexOf(route.tier)) {
    return new AppError('tier_required', {
      detail: `This operation needs a store of tier \`${route.tier}\` or higher; the store's tier is \`${access.tier}\`.`,
      members: { required_tier: route.tier, current_tier: access.tier },
    });
  }
  return undefined;
}
