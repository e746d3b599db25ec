import { readCalendarFeed } from '@mostrador/contracts';
import type { Tag } from '../routes/tags.ts';
import type { SharedResponses } from './errors.ts';

/** The path item of the calendar feed, which is outside the API's prefix and needs no key. */
export function calendarFeedPath(publicUrl: string, responses: SharedResponses) {
  const { summary, errors } = readCalendarFeed;
  return {
    '/calendars/{token}.ics': {
      servers: [{ url: publicUrl }, { url: '/' }],
      get: {
        operationId: 'calendars.feed',
        tags: ['Calendar feed' satisfies Tag],
        summary,
        description:
          "**Extension.**\n\nThe store's appointments as an iCalendar feed, to which calendar programs subscribe. " +
          'The secret address is the only credential. The admin command shows it once.',
        'x-extension': true,
        security: [],
        parameters: [{ in: 'path', name: 'token', required: true, schema: { type: 'string', maxLength: 200 } }],
        responses: {
          200: {
            description: summary,
            headers: { ETag: { $ref: '#/components/headers/ETag' } },
            content: { 'text/calendar': { schema: { type: 'string' } } },
          },
          304: { description: '`If-None-Match` names the current version.' },
          ...responses.of([
            'malformed_request',
            ...errors,
            'internal_error',
            'service_unavailable',
            'upstream_timeout',
          ]),
        },
      },
    },
  };
}
