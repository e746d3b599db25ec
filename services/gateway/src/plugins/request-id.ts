import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { saneRequestId } from '../requests/headers.ts';

/** The id of a request: the one it came with, when that is harmless, else a new one. */
export function requestIdOf(request: IncomingMessage): string {
  return saneRequestId(request.headers['x-request-id']) ?? randomUUID();
}

/** Every response says which request it answers, and that its media type is meant. */
export function addRequestId(app: FastifyInstance): void {
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff');
    done();
  });
}
