import { noteCalendarChange } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance } from 'fastify';

/** The notices of Google have no body. */
const mostBytes = 1024;

/**
 * Receives what Google Calendar tells of changes (…/calendar/api/guides/push). The token in the header is the only
 * credential, and the notice says no more than that something has changed.
 */
export function addCalendarChanges(app: FastifyInstance, options: { rpc: RpcClient; requestTimeoutMs: number }): void {
  // A separate scope, which reads no body.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: mostBytes }, (_request, _body, done) => done(null));
    scope.post('/calendars/google/changes', async (request, reply) => {
      const { 'x-goog-channel-token': token, 'x-goog-resource-state': state } = request.headers;
      if (typeof token !== 'string' || token === '' || token.length > 200) {
        throw new AppError('webhook_refused', { detail: 'This is no notice of a channel.' });
      }
      // The first notice says that the channel is open, before its answer is recorded.
      if (state !== 'sync') {
        const deadline = Date.now() + options.requestTimeoutMs;
        const context = { requestId: request.id, deadline, traceparent: request.span?.traceparent };
        await options.rpc.call(noteCalendarChange, { body: { token } }, context);
      }
      return reply.code(204).send();
    });
  });
}
