import type { Operation, RequestOf } from '@mostrador/contracts';
import type { Log } from '@mostrador/kit/process/log';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { limitingSeller } from '@mostrador/kit/rpc/person';
import type { UncheckedRequest } from '@mostrador/kit/rpc/validate';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { addRoutes } from '../api/add-routes.ts';
import { forwarder } from '../api/forward.ts';
import { addEventStream, eventStreamRoute } from '../events/add-event-stream.ts';
import type { Followers } from '../events/followers.ts';
import { hintFrame } from '../events/frames.ts';
import { addRateLimit } from '../plugins/rate-limit.ts';
import { personRoutes } from '../routes/index.ts';
import { platformPrefix, type Route } from '../routes/route.ts';
import { assertMayCall, findCaller, personCheck, recordIntent } from './person-auth.ts';
import { checkSellerView } from './seller-view.ts';
import type { SessionChecks } from './session-checks.ts';
import type { SessionGuard } from './session-guard.ts';

export type PersonApiOptions = {
  readonly rpc: RpcClient;
  readonly publicUrl: string;
  readonly requestTimeoutMs: number;
  readonly followers: Followers;
  readonly sessions: SessionChecks;
  readonly guard: SessionGuard;
  readonly log: Log;
};

/** A store has many people at once, and what one of them does makes the pages of all read again. */
const storeRequestsPerMinute = 6000;

/** The feed as a page needs it: what to read again. So every role may follow it. */
const hintRoute: Route = { ...eventStreamRoute, role: 'seller' };

/**
 * Serves the operations of the services for people: the public API by the scopes of their role, and what only people do.
 * With each request accounts says who asks. Needs the cookies, and the check of the site, of `addPlatform`.
 */
export function addPersonApi(people: FastifyInstance, options: PersonApiOptions): void {
  const { rpc, publicUrl, requestTimeoutMs, followers, sessions, guard, log } = options;
  const limitMs = requestTimeoutMs;
  people.decorateRequest('access');
  people.addHook('onRequest', async (request) => {
    const { apiRoute } = request.routeOptions.config;
    if (!apiRoute) throw new AppError('route_not_found');
    request.access = await guard.ask(request, () =>
      findCaller(rpc, request, { touch: apiRoute !== hintRoute, limitMs }),
    );
  });
  addRateLimit(people, { log, storeRequestsPerMinute });
  people.addHook('onRequest', (request, _reply, done) => {
    assertMayCall(request.routeOptions.config.apiRoute as Route, request.access);
    done();
  });

  const admit = async (request: FastifyRequest, route: Route, parts: UncheckedRequest) => {
    const { storeId, person } = request.access;
    const ask = <O extends Operation>(operation: O, asked: RequestOf<O>) =>
      rpc.call(operation, asked, { requestId: request.id, storeId, person, deadline: Date.now() + limitMs });
    if (limitingSeller({ person })) await checkSellerView(route, parts, ask);
    if (route.method !== 'GET') await recordIntent(rpc, request, { route, parts, limitMs });
  };
  const feed = {
    followers,
    stillMay: (request: FastifyRequest, route: Route) => personCheck(sessions, request, route),
  };
  const baseUrl = `${publicUrl}${platformPrefix}`;
  addRoutes(people, personRoutes, forwarder({ rpc, baseUrl, requestTimeoutMs, feed, admit }));
  addEventStream(people, { rpc, requestTimeoutMs, feed, route: hintRoute, frame: hintFrame });
}
