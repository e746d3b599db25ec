import { createOidcSession, longestOidcAnswer } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clearAttemptCookie, readAttemptCookie, setSessionCookie } from '../http/session-cookie.ts';
import type { LoginLimit } from './login-limit.ts';
import { contextOf } from './person-auth.ts';

declare module 'fastify' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface FastifyContextConfig {
    /** A page of another site may lead a browser with a session here. */
    mayComeFromOtherSites?: boolean;
  }
}

export type OidcCallbackOptions = {
  readonly rpc: RpcClient;
  readonly publicUrl: string;
  readonly requestTimeoutMs: number;
  readonly logins: LoginLimit;
};

/**
 * Serves the address to which the OpenID provider leads the browser back. It leads on to the console and nowhere else:
 * to its start, or to its sign-in page, which says what went wrong. A GET of another site may come here, so it opens a
 * session only in the browser whose cookie belongs to the answer. Without that cookie, as for an image on a page of another
 * site, nothing is counted and accounts is not asked.
 */
export function addOidcCallback(platform: FastifyInstance, options: OidcCallbackOptions): void {
  const { rpc, publicUrl, requestTimeoutMs, logins } = options;
  platform.get('/session/oidc/callback', { config: { mayComeFromOtherSites: true } }, async (request, reply) => {
    const { search: query } = new URL(request.url, publicUrl);
    let isAttempt = false;
    try {
      const attemptToken = readAttemptCookie(request);
      if (attemptToken === '' || query.length > longestOidcAnswer || !isNavigation(request)) {
        throw new AppError('oidc_failed');
      }
      isAttempt = true;
      const counted = logins.attempt({ method: 'oidc', address: request.ip });
      const body = { attempt_token: attemptToken, answer: query.slice(1) };
      const { session_token } = await rpc.call(createOidcSession, { body }, contextOf(request, requestTimeoutMs));
      counted.succeed();
      setSessionCookie(clearAttemptCookie(reply), session_token);
      return reply.redirect(`${publicUrl}/console/`, 303);
    } catch (error) {
      if (!(error instanceof AppError) || error.code === 'oidc_not_configured') throw error;
      request.failure = error.code;
      if (isAttempt) clearAttemptCookie(reply);
      return reply.redirect(`${publicUrl}/console/login?failed=${error.code}`, 303);
    }
  });
}

/** Old browsers do not say it. */
const isNavigation = ({ headers: { 'sec-fetch-mode': mode } }: FastifyRequest): boolean =>
  mode === undefined || mode === 'navigate';
