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
import { createRequestQueue, type RequestQueueLimits, runIn } from '@mostrador/kit/rpc/request-queue';
import { type UncheckedRequest, validateRequest } from '@mostrador/kit/rpc/validate';
import { loginLinkForm } from '@mostrador/kit/tokens/token';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { addRoutes } from '../api/add-routes.ts';
import {
  clearSessionCookie,
  readDeviceCookie,
  readSessionCookie,
  setAttemptCookie,
  setDeviceCookie,
  setSessionCookie,
} from '../http/session-cookie.ts';
import { createPlatformDocument } from '../openapi/platform-document.ts';
import { queryReader, type RawQuery } from '../requests/query.ts';
import { accountRoutes, personRoutes } from '../routes/index.ts';
import type { Route } from '../routes/route.ts';
import { addOidcCallback } from './add-oidc-callback.ts';
import { createGuestLimit, createLoginLimit, type LoginAttempt, type SignInMethod } from './login-limit.ts';
import { contextOf } from './person-auth.ts';
import { isFromThisSite } from './same-site.ts';
import type { SessionGuard } from './session-guard.ts';

export type PlatformOptions = {
  readonly rpc: RpcClient;
  readonly guard: SessionGuard;
  readonly publicUrl: string;
  readonly requestTimeoutMs: number;
};

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyContextConfig {
    /** No page of another site may ask for it, also without a session: it would use up what its visitors' network may. */
    isOnlyForThisSite?: boolean;
  }
}

/** What a person begins before they sign in. */
const beginnings = new Map<Operation, SignInMethod>([
  [startPasskeySession, 'passkey'],
  [startOidcSession, 'oidc'],
  [startOidcJoin, 'oidc'],
]);

/** How many login links of networks that have had their attempts are looked at at once. */
const suspectLinks: RequestQueueLimits = { concurrency: 2, queue: 200 };

/**
 * Serves what people do in the console. The gateway passes the session's token on, and accounts checks it with every
 * request: an attacker who controls the gateway can act only in sessions that are in use, and create none.
 */
export async function addPlatform(platform: FastifyInstance, options: PlatformOptions): Promise<void> {
  await platform.register(cookie);
  const ownOrigin = new URL(options.publicUrl).origin;
  const { rpc, guard, requestTimeoutMs } = options;
  const logins = createLoginLimit();
  const checkGuest = createGuestLimit();
  const suspects = createRequestQueue(suspectLinks);
  platform.addHook('onRequest', (request, reply, done) => {
    reply.header('cache-control', 'no-store');
    const { method, headers } = request;
    const { 'sec-fetch-site': site, origin } = headers;
    const { mayComeFromOtherSites = false, isOnlyForThisSite = false } = request.routeOptions.config;
    const hasSession = isOnlyForThisSite || readSessionCookie(request) !== undefined;
    const isOurs = mayComeFromOtherSites || isFromThisSite({ method, site, origin, hasSession }, ownOrigin);
    done(isOurs ? undefined : new AppError('cross_site_request'));
  });
  addDocument(platform, options);
  addOidcCallback(platform, { ...options, logins });
  const begin = ({ operation }: Route, { ip }: FastifyRequest) => {
    const method = beginnings.get(operation);
    if (method) logins.begin(method, ip);
  };
  /** Asks accounts in a session, of which it says whether it is open. */
  const askInSession = async (route: Route, request: FastifyRequest): Promise<unknown> => {
    guard.pace(request);
    const asked = checked(route, request);
    begin(route, request);
    return await guard.ask(request, () =>
      rpc.call(route.operation, asked as never, contextOf(request, requestTimeoutMs)),
    );
  };
  /** Asks accounts for a person who wants to sign in. */
  const askAsGuest = async (route: Route, request: FastifyRequest): Promise<unknown> => {
    checkGuest(request.ip);
    const asked = checked(route, request);
    const ask = () => rpc.call(route.operation, asked as never, contextOf(request, requestTimeoutMs));
    begin(route, request);
    const attempt = attemptOf(route, request, asked);
    if (!attempt) return await ask();
    const counted = logins.attempt(attempt);
    const answer = await (counted.isSuspect ? runIn(suspects, '', ask) : ask());
    counted.succeed();
    return answer;
  };
  const answering = (route: Route) => async (request: FastifyRequest, reply: FastifyReply) => {
    const answer = await (route.role === 'guest' ? askAsGuest : askInSession)(route, request);
    if (route.operation === endPersonSession) clearSessionCookie(reply);
    if (isOpened(answer)) setSessionCookie(reply, answer.session_token);
    if (hasDevice(answer)) setDeviceCookie(reply, answer.device_token);
    if (isOpened(answer)) return send(route, reply, answer.session);
    if (isBegun(answer)) return send(route, setAttemptCookie(reply, answer.attempt_token), answer.authorization);
    return send(route, reply, answer);
  };
  addRoutes(platform, accountRoutes, answering, () => ({ isOnlyForThisSite: true }));
}

/** Serves the OpenAPI document of what people can do. It needs no session. */
function addDocument(platform: FastifyInstance, { publicUrl }: { publicUrl: string }): void {
  const document = JSON.stringify(createPlatformDocument([...accountRoutes, ...personRoutes], { publicUrl }));
  platform.get('/openapi.json', (_request, reply) => reply.type('application/json; charset=utf-8').send(document));
}

/** What a request tries, if it tries to sign in or to look at a login link. */
function attemptOf({ operation }: Route, request: FastifyRequest, asked: UncheckedRequest): LoginAttempt | undefined {
  const { ip: address } = request;
  if (operation === createPasskeySession) return { method: 'passkey', address };
  if (operation === getLoginLink) {
    const { token } = asked.body as RequestOf<typeof getLoginLink>['body'];
    return { method: 'look', address, linkId: loginLinkForm.idOf(token) };
  }
  if (operation !== createPersonSession) return undefined;
  const { token, email } = asked.body as RequestOf<typeof createPersonSession>['body'];
  if (token === undefined) return { method: 'password', address, email, device: readDeviceCookie(request) };
  return { method: 'link', address, linkId: loginLinkForm.idOf(token), email };
}

function checked({ operation }: Route, { params, query, body }: FastifyRequest): UncheckedRequest {
  const read = queryReader(operation.request.query)(query as RawQuery);
  const parts: UncheckedRequest = { query: read.query };
  if (operation.request.params) parts.params = params;
  if (body !== undefined) parts.body = body;
  const twice = read.repeated.map((name) => ({ in: 'query' as const, name, detail: 'was given more than once' }));
  const faults = [...twice, ...validateRequest(operation, parts)];
  if (faults.length > 0) throw validationFailed(faults);
  if (!operation.request.query) delete parts.query;
  if (!operation.request.body) delete parts.body;
  return parts;
}

/** Whether the person got a new session, whose token only the cookie has. */
const isOpened = (answer: unknown): answer is ReplyOf<typeof createPersonSession> =>
  'session_token' in (answer as object);

/** Whether the person has given their password in this browser. */
const hasDevice = (answer: unknown): answer is { readonly device_token: string } =>
  'device_token' in (answer as object);

/** Whether the browser goes to the OpenID provider, with a token that only the cookie has. */
const isBegun = (answer: unknown): answer is ReplyOf<typeof startOidcSession> => 'attempt_token' in (answer as object);

const send = ({ status }: Route, reply: FastifyReply, answer: unknown) =>
  status === 204 ? reply.code(204).send() : reply.code(status).send(answer);
