import { readCalendarFeed } from '@mostrador/contracts';
import type { Tag } from '../routes/tags.ts';
import { samplesOf } from './code-samples.ts';
import type { SharedResponses } from './errors.ts';
import { appointment } from './examples/optician.ts';

const token = 'Vb3xk9Qm2Zt7Rw5Yp8Ls4Nd6Hf1Jc0Ga';
const feed = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Mostrador//EN',
  'BEGIN:VEVENT',
  `UID:${appointment.id}`,
  'DTSTAMP:20260112T130602Z',
  'DTSTART:20260116T173000Z',
  'DTEND:20260116T181500Z',
  `SUMMARY:${appointment.title}`,
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

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
          "The store's appointments as an iCalendar feed, to which calendar programs subscribe. " +
          'The secret address is the only credential. The admin command shows it once. The `url` of an invitation is such ' +
          'an address, too, and has that one appointment.',
        'x-extension': true,
        'x-badges': [{ name: 'Extension' }],
        security: [],
        parameters: [
          {
            in: 'path',
            name: 'token',
            required: true,
            description: 'The secret of the address.',
            schema: { type: 'string', maxLength: 200 },
            example: token,
          },
        ],
        'x-codeSamples': samplesOf({ method: 'GET', url: `${publicUrl}/calendars/${token}.ics`, withKey: false }),
        responses: {
          200: {
            description: summary,
            headers: { ETag: { $ref: '#/components/headers/ETag' } },
            content: { 'text/calendar': { schema: { type: 'string' }, examples: { example: { value: feed } } } },
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
