import { sessionDays } from '@mostrador/contracts';
import { sessionForm } from '@mostrador/kit/tokens/token';
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
