import cookie from '@fastify/cookie';
import {
  createPasskeySession,
  createPersonSession,
  endPersonSession,
  getLoginLink,
  type Operation,
  type ReplyOf,
  type RequestOf,
  startOidcJoin,
  startOidcSession,
  startPasskeySession,
} from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError, validationFailed } from '@mostrador/kit/rpc/errors';
import { type UncheckedRequest, validateRequest } from '@mostrador/kit/rpc/validate';
import { loginLinkForm } from '@mostrador/kit/tokens/token';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { queryReader, type RawQuery } from '../requests/query.ts';
import { addDocument } from './add-document.ts';
import { addOidcCallback } from './add-oidc-callback.ts';
import { createLinkLimit } from './link-limit.ts';
import { createLoginLimit, createNetworkLimit } from './login-limit.ts';
import { contextOf } from './person-auth.ts';
import { type AccountRoute, accountRoutes } from './platform-routes.ts';
import { isFromThisSite } from './same-site.ts';
import { clearSessionCookie, readSessionCookie, setAttemptCookie, setSessionCookie } from './session-cookie.ts';

export type PlatformOptions = {
  readonly rpc: RpcClient;
  readonly publicUrl: string;
  readonly requestTimeoutMs: number;
};

/** Attempts to sign in that name no person yet, and what asks the provider. */
const attempts: readonly Operation[] = [startPasskeySession, createPasskeySession, startOidcSession, startOidcJoin];

/**
 * Serves what people do in the console. The gateway passes the session's token on, and accounts checks it with every
 * request: an attacker who controls the gateway can act only in sessions that are in use, and create none.
 */
export async function addPlatform(platform: FastifyInstance, options: PlatformOptions): Promise<void> {
  await platform.register(cookie);
  const ownOrigin = new URL(options.publicUrl).origin;
  const checkLogin = createLoginLimit();
  const checkNetwork = createNetworkLimit();
  const checkLink = createLinkLimit();
  platform.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', 'no-store');
    const { method, headers } = request;
    const hasSession = readSessionCookie(request) !== undefined;
    const { 'sec-fetch-site': site, origin } = headers;
    const { mayComeFromOtherSites = false } = request.routeOptions.config;
    const isOurs = mayComeFromOtherSites || isFromThisSite({ method, site, origin, hasSession }, ownOrigin);
    done(isOurs ? undefined : new AppError('cross_site_request'));
  });
  addDocument(platform, options);
  addOidcCallback(platform, { ...options, checkLogin });
  for (const route of accountRoutes) {
    platform.route({
      method: route.method,
      url: route.path,
      handler: async (request, reply) => {
        checkNetwork(request.ip);
        const asked = checked(route, request);
        const context = contextOf(request, options.requestTimeoutMs);
        if (route.operation === getLoginLink) {
          const { token } = (asked as RequestOf<typeof getLoginLink>).body;
          checkLink({ address: request.ip, linkId: loginLinkForm.idOf(token) });
        }
        if (route.operation === createPersonSession) {
          const { token = '', email } = (asked as RequestOf<typeof createPersonSession>).body;
          checkLogin({ address: request.ip, linkId: loginLinkForm.idOf(token), email });
        }
        if (attempts.includes(route.operation)) checkLogin({ address: request.ip });
        const answer = await options.rpc.call(route.operation, asked as never, context);
        if (route.operation === endPersonSession) clearSessionCookie(reply);
        if (isOpened(answer)) return send(route, setSessionCookie(reply, answer.session_token), answer.session);
        if (isBegun(answer)) return send(route, setAttemptCookie(reply, answer.attempt_token), answer.authorization);
        return send(route, reply, answer);
      },
    });
  }
}

function checked({ operation }: AccountRoute, { params, query, body }: FastifyRequest): UncheckedRequest {
  const read = queryReader(operation.request.query)(query as RawQuery);
  const parts: UncheckedRequest = { query: read.query };
  if (operation.request.params) parts.params = params;
  if (operation.request.body) parts.body = body;
  const twice = read.repeated.map((name) => ({ in: 'query' as const, name, detail: 'was given more than once' }));
  const faults = [...twice, ...validateRequest(operation, parts)];
  if (faults.length > 0) throw validationFailed(faults);
  if (!operation.request.query) delete parts.query;
  return parts;
}

/** Whether the person got a new session, whose token only the cookie has. */
const isOpened = (answer: unknown): answer is ReplyOf<typeof createPersonSession> =>
  'session_token' in (answer as object);

/** Whether the browser goes to the OpenID provider, with a token that only the cookie has. */
const isBegun = (answer: unknown): answer is ReplyOf<typeof startOidcSession> => 'attempt_token' in (answer as object);

const send = ({ status }: AccountRoute, reply: FastifyReply, answer: unknown) =>
  status === 204 ? reply.code(204).send() : reply.code(status).send(answer);
