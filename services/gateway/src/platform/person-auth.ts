import { authorizePerson, type Operation, recordChange } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { mayActAs, roleRequired } from '@mostrador/kit/rpc/person';
import type { UncheckedRequest } from '@mostrador/kit/rpc/validate';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/access.ts';
import type { AccessCheck } from '../events/followers.ts';
import { refusal } from '../plugins/permission.ts';
import { saneTraceparent } from '../requests/headers.ts';
import type { Route } from '../routes/route.ts';
import type { PersonRoute } from './platform-routes.ts';
import { type SessionChecks, toCaller } from './session-checks.ts';
import { readSessionCookie } from './session-cookie.ts';

/** What accounts gets with each request of a person. */
export const contextOf = (request: FastifyRequest, limitMs: number): CallContext => ({
  requestId: request.id,
  deadline: Date.now() + limitMs,
  session: readSessionCookie(request),
  client: { address: request.ip, agent: request.headers['user-agent'] },
  traceparent: saneTraceparent(request.headers.traceparent),
});

/** Asks accounts who sent the request. Throws `invalid_session`. */
export async function findCaller(
  rpc: RpcClient,
  request: FastifyRequest,
  { touch, limitMs }: { touch: boolean; limitMs: number },
): Promise<Caller> {
  const context = contextOf(request, limitMs);
  if (context.session === undefined) throw new AppError('invalid_session');
  return toCaller(await rpc.call(authorizePerson, { body: { touch } }, context));
}

/** Throws `role_required` or `tier_required` unless the person may call the route. */
export function assertMayCall(route: Route, access: Caller): void {
  const { role } = route as PersonRoute;
  if (!access.person || !mayActAs(access.person.role, role)) throw roleRequired(role);
  const error = refusal(route, access);
  if (error) throw error;
}

/** Makes a check that throws what a new request of the same person to the route would get. */
export function personCheck(checks: SessionChecks, request: FastifyRequest, route: Route): AccessCheck {
  const session = checks.follow(readSessionCookie(request) ?? '', request.access);
  return {
    run: () => assertMayCall(route, session.caller()),
    release: session.release,
  };
}

/** What the audit log calls a request of an operation, such as `leads.update`. */
export function actionOf({ subject }: Operation): string {
  const [, , resource = '', verb = ''] = subject.split('.');
  return `${resource}.${verb}`.replaceAll('-', '_');
}

/** Which members a valid change gives, without what they say. */
const changeOf = ({ method }: Route, body: unknown) =>
  method === 'PATCH' ? { changed: Object.keys(body as object) } : undefined;

/** Records in the audit log what the person is about to change. */
export async function recordIntent(
  rpc: RpcClient,
  request: FastifyRequest,
  { route, parts, limitMs }: { route: Route; parts: UncheckedRequest; limitMs: number },
): Promise<void> {
  const { operation, audited } = route as PersonRoute;
  const details = audited ? audited(parts.body) : changeOf(route, parts.body);
  if (details === null) return;
  // A phone in a path is personal, and the log is kept.
  const ids = Object.entries((parts.params ?? {}) as Record<string, string>).flatMap(([name, value]) =>
    name.endsWith('Id') ? [value] : [],
  );
  const body = { action: actionOf(operation), subject_id: ids.at(-1) ?? '', ...(details && { details }) };
  await rpc.call(recordChange, { body }, contextOf(request, limitMs));
}
