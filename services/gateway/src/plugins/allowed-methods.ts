import { AppError } from '@mostrador/kit/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Which methods a path has, by the routes that were registered. Only asked when no route was found. */
export type AllowedMethods = {
  add(url: string, methods: string | readonly string[]): void;
  of(path: string): readonly string[];
};

/** What a route was not found for: the method, or the path itself. */
export type RefuseRoute = (request: FastifyRequest, reply: FastifyReply) => AppError;

export function createAllowedMethods(): AllowedMethods {
  const patterns = new Map<string, Set<string>>();
  return {
    add(url, methods) {
      const known = patterns.get(url) ?? new Set();
      for (const method of [methods].flat()) known.add(method);
      patterns.set(url, known);
    },
    of(path) {
      const segments = path.split('/').map(decoded);
      const found = [...patterns].filter(([pattern]) => matches(pattern.split('/'), segments));
      return [...new Set(found.flatMap(([, methods]) => [...methods]))].sort();
    },
  };
}

/** Remembers every route that is registered from now on. */
export function addAllowedMethods(app: FastifyInstance): RefuseRoute {
  const allowed = createAllowedMethods();
  app.addHook('onRoute', ({ url, method }) => {
    // The route by which preflights get in belongs to no resource.
    if (url !== '*') allowed.add(url, method);
  });
  return (request, reply) => {
    const methods = allowed.of(request.url.split('?', 1)[0] ?? '');
    if (methods.length === 0 || methods.includes(request.method)) return new AppError('route_not_found');
    reply.header('allow', methods.join(', '));
    return new AppError('method_not_allowed');
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
