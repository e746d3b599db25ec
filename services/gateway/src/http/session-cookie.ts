import { deviceDays, oidcAttemptMinutes, sessionDays } from '@mostrador/contracts';
import { deviceForm, oidcAttemptForm, sessionForm } from '@mostrador/kit/tokens/token';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** With this prefix a browser takes the cookie only from this host over TLS, so no other host can plant one. */
export const sessionCookie = '__Host-mostrador';
/** No script reads it. Browsers treat the addresses of this machine as secure without TLS. */
const attributes = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const;

/** The token in the cookie; undefined when there is none, or when it cannot be one. */
export function readSessionCookie(request: FastifyRequest): string | undefined {
  const token = request.cookies[sessionCookie];
  return token !== undefined && sessionForm.idOf(token) !== undefined ? token : undefined;
}

export const setSessionCookie = (reply: FastifyReply, token: string): FastifyReply =>
  reply.setCookie(sessionCookie, token, { ...attributes, maxAge: sessionDays * 86_400 });

export const clearSessionCookie = (reply: FastifyReply): FastifyReply => reply.clearCookie(sessionCookie, attributes);

/** The cookie of a browser in which a person has given their password. Such a browser counts its own wrong passwords. */
const deviceCookie = '__Host-mostrador-device';

/** The token in the cookie; undefined when there is none, or when it cannot be one. */
export function readDeviceCookie(request: FastifyRequest): string | undefined {
  const token = request.cookies[deviceCookie];
  return token !== undefined && deviceForm.idOf(token) !== undefined ? token : undefined;
}

export const setDeviceCookie = (reply: FastifyReply, token: string): FastifyReply =>
  reply.setCookie(deviceCookie, token, { ...attributes, sameSite: 'strict', maxAge: deviceDays * 86_400 });

/** What a browser has while it is at the OpenID provider, so that no other browser can finish its sign-in. */
const attemptCookie = '__Host-mostrador-oidc';

/** The token in the cookie; empty when there is none, or when it cannot be one. */
export function readAttemptCookie(request: FastifyRequest): string {
  const token = request.cookies[attemptCookie] ?? '';
  return oidcAttemptForm.idOf(token) === undefined ? '' : token;
}

/** `lax`: the browser sends it when the provider leads it back. */
export const setAttemptCookie = (reply: FastifyReply, token: string): FastifyReply =>
  reply.setCookie(attemptCookie, token, { ...attributes, maxAge: oidcAttemptMinutes * 60 });

export const clearAttemptCookie = (reply: FastifyReply): FastifyReply => reply.clearCookie(attemptCookie, attributes);
