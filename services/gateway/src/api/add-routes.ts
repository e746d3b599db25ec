import type { FastifyContextConfig, FastifyInstance, RouteHandlerMethod } from 'fastify';
import type { Route } from '../routes/route.ts';

/** Serves each route by the handler that is made for it. Both APIs are mounted here. */
export function addRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  handlerOf: (route: Route) => RouteHandlerMethod,
  configOf: (route: Route) => FastifyContextConfig = (route) => ({ apiRoute: route }),
): void {
  for (const route of routes) {
    app.route({ method: route.method, url: route.path, config: configOf(route), handler: handlerOf(route) });
  }
}
