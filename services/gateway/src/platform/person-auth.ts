import { authorizePerson, type Operation, recordChange } from '@mostrador/contracts';
import type { CallContext, RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import { requireRole } from '@mostrador/kit/rpc/person';
import type { UncheckedRequest } from '@mostrador/kit/rpc/validate';
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../access/access.ts';
import type { AccessCheck } from '../events/followers.ts';
import { readDeviceCookie, readSessionCookie } from '../http/session-cookie.ts';
import { tierRefusal } from '../plugins/permission.ts';
import type { Route } from '../routes/route.ts';
import { type SessionChecks, toCaller } from './session-checks.ts';

/** What accounts gets with each request of a person. */
export const contextOf = (request: FastifyRequest, limitMs: number): CallContext => ({
  requestId: request.id,
  deadline: Date.now() + limitMs,
  session: readSessionCookie(request),
  client: { address: request.ip, agent: request.headers['user-agent'], device: readDeviceCookie(request) },
  traceparent: request.span?.traceparent,
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
  requireRole(access.person, route.role);
  const error = tierRefusal(route, access);
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

/** What the audit log says of a valid request: members that the contract names, or only which members a PATCH gives. */
function detailsOf({ audited, method }: Route, body: object = {}): Readonly<Record<string, unknown>> | undefined {
  if (audited) return Object.fromEntries(Object.entries(body).filter(([name]) => audited.includes(name)));
  return method === 'PATCH' ? { changed: Object.keys(body) } : undefined;
}

/** Records in the audit log what the person is about to change. A dry run changes nothing. */
export async function recordIntent(
  rpc: RpcClient,
  request: FastifyRequest,
  { route, parts, limitMs }: { route: Route; parts: UncheckedRequest; limitMs: number },
): Promise<void> {
  const given = parts.body as { readonly dry_run?: boolean } | undefined;
  if (route.audited === false || given?.dry_run) return;
  const details = detailsOf(route, given);
  // A phone in a path is personal, and the log is kept.
  const ids = Object.entries((parts.params ?? {}) as Record<string, string>).flatMap(([name, value]) =>
    name.endsWith('Id') ? [value] : [],
  );
  const body = { action: actionOf(route.operation), subject_id: ids.at(-1) ?? '', ...(details && { details }) };
  await rpc.call(recordChange, { body }, contextOf(request, limitMs));
}
