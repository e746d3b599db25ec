import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import createRouter from 'find-my-way';
import { documentedPath } from '../routes/route.ts';

export type RouteRefusal = {
  /** Answers OPTIONS on a known path with 204 and `Allow`. False: it is another request. */
  answerOptions(request: FastifyRequest, reply: FastifyReply): boolean;
  /** The error for a request without a route: 405 if the path has other methods, else 404. */
  refuse(request: FastifyRequest, reply: FastifyReply): AppError;
  /** Whether the router found no route, or one that the path does not belong to. */
  isLost(request: FastifyRequest): boolean;
};

/** The methods of each path, by a second router that finds the most specific pattern whatever the method. */
export function createAllowedMethods() {
  type Known = { readonly pattern: string; readonly methods: Set<string> };
  const router = createRouter({ maxParamLength: Number.MAX_SAFE_INTEGER });
  const known = new Map<string, Known>();
  const find = (path: string): Known | undefined => {
    const { params = {}, store } = router.find('GET', path) ?? {};
    // The router matches `/leads/` as a lead with an empty id.
    return Object.values(params).includes('') ? undefined : store;
  };
  return {
    add(pattern: string, methods: string | readonly string[]): void {
      const entry = known.get(pattern) ?? { pattern, methods: new Set() };
      for (const method of [methods].flat()) entry.methods.add(method);
      if (!known.has(pattern)) router.on('GET', pattern, () => {}, entry);
      known.set(pattern, entry);
    },
    of: (path: string): readonly string[] => [...(find(path)?.methods ?? [])].sort(),
    /** The pattern of the path as documentation writes it: `/leads/{leadId}`. */
    patternOf(path: string): string | undefined {
      const pattern = find(path)?.pattern;
      return pattern === undefined ? undefined : documentedPath(pattern);
    },
    /** Whether a more specific pattern matches the path. Fastify's router skips that one if it lacks the method. */
    isOfAnother(pattern: string, path: string): boolean {
      const found = find(path)?.pattern;
      return found !== undefined && found !== pattern;
    },
  };
}

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
