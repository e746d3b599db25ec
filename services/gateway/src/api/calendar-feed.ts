import { createHash } from 'node:crypto';
import { readCalendarFeed } from '@mostrador/contracts';
import type { RpcClient } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance } from 'fastify';
import { currentTag } from '../http/entity-tags.ts';

const ending = '.ics';

/**
 * Serves `/calendars/<token>.ics`, to which calendar programs subscribe. The secret address is the only credential, so
 * the route is outside the API's prefix, and no log contains the address.
 */
export function addCalendarFeed(app: FastifyInstance, options: { rpc: RpcClient; requestTimeoutMs: number }): void {
  app.get<{ Params: { file: string } }>(
    '/calendars/:file',
    { config: { secretAddress: true } },
    async (request, reply) => {
      const { file } = request.params;
      const token = file.slice(0, -ending.length);
      if (!file.endsWith(ending) || token === '' || token.length > 200) throw new AppError('calendar_feed_not_found');
      const { icalendar } = await options.rpc.call(
        readCalendarFeed,
        { body: { token } },
        {
          requestId: request.id,
          deadline: Date.now() + options.requestTimeoutMs,
          traceparent: request.span?.traceparent,
        },
      );
      const etag = `"${createHash('sha256').update(icalendar).digest('base64url')}"`;
      reply.header('etag', etag).header('cache-control', 'private, no-cache').header('referrer-policy', 'no-referrer');
      const ifNoneMatch = request.headers['if-none-match'];
      if (ifNoneMatch && currentTag(ifNoneMatch, etag)) return reply.code(304).send();
      return reply.type('text/calendar; charset=utf-8').send(icalendar);
    },
  );
}
