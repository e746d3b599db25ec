import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { documentedPath } from '../routes/route.ts';

/** The methods of each path, by the registered routes. */
export type AllowedMethods = {
  add(url: string, methods: string | readonly string[]): void;
  /** The methods of the most specific pattern that matches the path. */
  of(path: string): readonly string[];
  /** The most specific pattern that matches the path, as documentation writes it: `/leads/{leadId}`. */
  patternOf(path: string): string | undefined;
  /** Whether a more specific pattern matches the path too. The router skips that one if it lacks the method. */
  isOfAnother(pattern: string, path: string): boolean;
};

export type RouteRefusal = {
  /** Answers OPTIONS on a known path with 204 and `Allow`. False: it is another request. */
  answerOptions(request: FastifyRequest, reply: FastifyReply): boolean;
  /** The error for a request without a route: 405 if the path has other methods, else 404. */
  refuse(request: FastifyRequest, reply: FastifyReply): AppError;
  /** Whether the router found no route, or one that the path does not belong to. */
  isLost(request: FastifyRequest): boolean;
};

export function createAllowedMethods(): AllowedMethods {
  const patterns = new Map<string, Set<string>>();
  /** For each pattern, the more specific patterns that it also matches. Nearly all patterns have none. */
  const moreConcrete = new Map<string, readonly string[]>();
  const findMoreConcrete = (pattern: string) =>
    [...patterns.keys()].filter(
      (other) => openParts(other) < openParts(pattern) && matches(pattern.split('/'), other.split('/')),
    );
  const fits = (path: string) => {
    const segments = path.split('/').map(decoded);
    return (pattern: string) => matches(pattern.split('/'), segments);
  };
  const ownOf = (path: string) => {
    const fitting = [...patterns.keys()].filter(fits(path));
    const least = Math.min(...fitting.map(openParts));
    return fitting.filter((pattern) => openParts(pattern) === least);
  };
  return {
    add(url, methods) {
      const known = patterns.get(url) ?? new Set();
      for (const method of [methods].flat()) known.add(method);
      patterns.set(url, known);
      moreConcrete.clear();
    },
    of: (path) => [...new Set(ownOf(path).flatMap((pattern) => [...(patterns.get(pattern) ?? [])]))].sort(),
    patternOf: (path) => {
      const [pattern] = ownOf(path);
      return pattern === undefined ? undefined : documentedPath(pattern);
    },
    isOfAnother(pattern, path) {
      const others = moreConcrete.get(pattern) ?? findMoreConcrete(pattern);
      moreConcrete.set(pattern, others);
      return others.length > 0 && others.some(fits(path));
    },
  };
}

/** How many segments of a pattern are parameters or wildcards. */
const openParts = (pattern: string): number => pattern.split('/').filter((part) => /^[:*]/.test(part)).length;

/** Collects every route that is registered after this call. */
export function addAllowedMethods(app: FastifyInstance): RouteRefusal {
  const allowed = createAllowedMethods();
  app.addHook('onRoute', ({ url, method }) => {
    // `@fastify/cors` registers `*` for preflight requests. It belongs to no resource.
    if (url !== '*') allowed.add(url, method);
  });
  const pathOf = (request: FastifyRequest) => request.url.split('?', 1)[0] ?? '';
  const notFound = (path: string) => {
    const pattern = path.endsWith('/') ? allowed.patternOf(path.replace(/\/+$/, '')) : undefined;
    // Not the path itself: it may hold something personal or secret.
    return new AppError('route_not_found', pattern ? { detail: `The path ends in a slash. Use \`${pattern}\`.` } : {});
  };
  return {
    answerOptions(request, reply) {
      if (request.method !== 'OPTIONS') return false;
      const methods = allowed.of(pathOf(request));
      // CORS has answered a preflight for an unknown path, too: the browser shows the page only the error of its request.
      if (methods.length === 0 && !reply.hasHeader('access-control-allow-methods')) return false;
      if (methods.length > 0) reply.header('allow', allowHeader(methods));
      reply.code(204).send();
      return true;
    },
    refuse(request, reply) {
      const methods = allowed.of(pathOf(request));
      if (methods.length === 0 || methods.includes(request.method)) return notFound(pathOf(request));
      reply.header('allow', allowHeader(methods));
      return new AppError('method_not_allowed');
    },
    isLost(request) {
      if (request.is404) return true;
      // The router matches `/leads/` as a lead with an empty id.
      if (Object.values(request.params as object).includes('')) return true;
      // It matches GET `/agents/select`, which has only a POST, as an agent with the id `select`.
      return allowed.isOfAnother(request.routeOptions.url ?? '', pathOf(request));
    },
  };
}

/** Every known path has OPTIONS. */
const allowHeader = (methods: readonly string[]): string => [...methods, 'OPTIONS'].sort().join(', ');

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
