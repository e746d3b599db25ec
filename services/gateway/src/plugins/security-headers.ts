import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';

/**
 * Adds security headers to every response. An API response is data, never a page, so its policy forbids loading,
 * running and framing. The documentation and the sandbox telephone set their own policy. `Strict-Transport-Security` is
 * sent only if the public URL is HTTPS.
 */
export async function addSecurityHeaders(app: FastifyInstance, options: { publicUrl: string }): Promise<void> {
  const isSecured = options.publicUrl.startsWith('https:');
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"], baseUri: ["'none'"], formAction: ["'none'"] },
    },
    strictTransportSecurity: isSecured ? { maxAge: 365 * 24 * 3600, includeSubDomains: false } : false,
    xFrameOptions: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
    crossOriginEmbedderPolicy: false,
    // These are for obsolete browsers and plug-ins, or only hints about speed.
    originAgentCluster: false,
    xDnsPrefetchControl: false,
    xDownloadOptions: false,
    xPermittedCrossDomainPolicies: false,
    xXssProtection: false,
  });
}
