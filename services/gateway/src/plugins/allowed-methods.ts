import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Which methods a path has, by the routes that were registered. Only asked when no route was found. */
export type AllowedMethods = {
  add(url: string, methods: string | readonly string[]): void;
  /** Of several patterns that fit a path the most concrete is the path's own, whatever the method. */
  of(path: string): readonly string[];
  /** Whether a path that this pattern fits has a more concrete pattern: the router took it for want of the method. */
  isOfAnother(pattern: string, path: string): boolean;
};

export type RouteRefusal = {
  /** What a route was not found for: the method, or the path itself. */
  refuse(request: FastifyRequest, reply: FastifyReply): AppError;
  /** No route was found, or one that the path does not belong to. */
  isLost(request: FastifyRequest): boolean;
};

export function createAllowedMethods(): AllowedMethods {
  const patterns = new Map<string, Set<string>>();
  /** For each pattern the more concrete ones that fit what it fits: for nearly all there is none. */
  const moreConcrete = new Map<string, readonly string[]>();
  const findMoreConcrete = (pattern: string) =>
    [...patterns.keys()].filter(
      (other) => openParts(other) < openParts(pattern) && matches(pattern.split('/'), other.split('/')),
    );
  const fits = (path: string) => {
    const segments = path.split('/').map(decoded);
    return (pattern: string) => matches(pattern.split('/'), segments);
  };
  return {
    add(url, methods) {
      const known = patterns.get(url) ?? new Set();
      for (const method of [methods].flat()) known.add(method);
      patterns.set(url, known);
      moreConcrete.clear();
    },
    of(path) {
      const fitting = [...patterns.keys()].filter(fits(path));
      const least = Math.min(...fitting.map(openParts));
      const own = fitting.filter((pattern) => openParts(pattern) === least);
      return [...new Set(own.flatMap((pattern) => [...(patterns.get(pattern) ?? [])]))].sort();
    },
    isOfAnother(pattern, path) {
      const others = moreConcrete.get(pattern) ?? findMoreConcrete(pattern);
      moreConcrete.set(pattern, others);
      return others.length > 0 && others.some(fits(path));
    },
  };
}

/** How many parts of a pattern take anything. */
const openParts = (pattern: string): number => pattern.split('/').filter((part) => /^[:*]/.test(part)).length;

/** Remembers every route that is registered from now on. */
export function addAllowedMethods(app: FastifyInstance): RouteRefusal {
  const allowed = createAllowedMethods();
  app.addHook('onRoute', ({ url, method }) => {
    // The route by which preflights get in belongs to no resource.
    if (url !== '*') allowed.add(url, method);
  });
  const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '';
  return {
    refuse(request, reply) {
      const methods = allowed.of(pathOf(request));
      if (methods.length === 0 || methods.includes(request.method)) return new AppError('route_not_found');
      reply.header('allow', methods.join(', '));
      return new AppError('method_not_allowed');
    },
    isLost(request) {
      if (request.is404) return true;
      // The router takes `/leads/` for a lead whose id is empty,
      if (Object.values(request.params as object).includes('')) return true;
      // and GET `/agents/select`, where there is a POST only, for an agent whose id is `select`.
      return allowed.isOfAnother(request.routeOptions.url ?? '', pathOf(request));
    },
  };
}

function matches(pattern: readonly string[], path: readonly string[]): boolean {
  for (const [i, part] of pattern.entries()) {
    if (part === '*') return path.length > i;
    const segment = path[i];
    if (segment === undefined || (part.startsWith(':') ? segment === '' : segment !== part)) return false;
  }
  return pattern.length === path.length;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
