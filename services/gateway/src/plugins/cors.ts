import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** Allows browsers to call from these origins. Without origins CORS is off. */
export async function addCors(app: FastifyInstance, options: { origins: string | undefined }): Promise<void> {
  const origins = (options.origins ?? '')
    .split(',')
    .map((origin) => origin.trim())
    .filter(Boolean);
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: origins,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: [
      'Content-Type',
      'Idempotency-Key',
      'If-Match',
      'If-None-Match',
      // A page reads the stream of events with `fetch`, because an `EventSource` cannot send the key. So it sends this itself.
      'Last-Event-ID',
      'Traceparent',
      'X-API-Key',
      'X-Request-Id',
    ],
    exposedHeaders: [
      'Accept-Encoding',
      'Allow',
      'Deprecation',
      'ETag',
      'Idempotent-Replay',
      'Link',
      'Location',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'Sunset',
      'WWW-Authenticate',
      'X-Request-Id',
    ],
    maxAge: 600,
    strictPreflight: false,
    // `addAllowedMethods` answers OPTIONS.
    preflightContinue: true,
  });
}
