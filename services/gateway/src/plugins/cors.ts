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
    allowedHeaders: ['Content-Type', 'X-API-Key', 'Idempotency-Key', 'If-Match', 'If-None-Match', 'X-Request-Id'],
    exposedHeaders: [
      'ETag',
      'Idempotent-Replay',
      'Link',
      'Location',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'WWW-Authenticate',
      'X-Request-Id',
    ],
    maxAge: 600,
    strictPreflight: false,
    // `addAllowedMethods` answers OPTIONS.
    preflightContinue: true,
  });
}
