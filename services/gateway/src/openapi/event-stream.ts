import { listEvents } from '@mostrador/contracts';
import { eventStreamRoute } from '../events/add-event-stream.ts';
import { apiPrefix } from '../routes/route.ts';
import type { Tag } from '../routes/tags.ts';
import type { CodeSample } from './code-samples.ts';
import { errorsOf, type SharedResponses } from './errors.ts';
import { exampleEvent } from './examples/events.ts';

const { path } = eventStreamRoute;
const created = exampleEvent('appointment.created');
const transcript = [
  'retry: 2000',
  '',
  `id: ${created.sequence}`,
  `event: ${created.type}`,
  `data: ${JSON.stringify(created)}`,
  '',
  ': heartbeat',
  `id: ${created.sequence}`,
  '',
  '',
].join('\n');

const { after, types, entity_id: entityId } = listEvents.request.query.properties;

const place = (name: string, description = '') => ({ in: 'query', name, required: false, description });

/** A stream is read piece by piece, unlike the answers of other operations. */
const samples = (url: string): readonly CodeSample[] => [
  { lang: 'shell', label: 'curl', source: `curl -N '${url}' \\\n  -H "X-API-Key: $MOSTRADOR_API_KEY"` },
  {
    lang: 'typescript',
    label: 'TypeScript',
    source: `const response = await fetch('${url}', {
  headers: {
    'X-API-Key': process.env.MOSTRADOR_API_KEY ?? '',
  },
});
if (!response.ok || !response.body) throw new Error(await response.text());
for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);`,
  },
  {
    lang: 'python',
    label: 'Python',
    source: `import os

import httpx

with httpx.stream(
    "GET",
    "${url}",
    headers={
        "X-API-Key": os.environ["MOSTRADOR_API_KEY"],
    },
    timeout=30,
) as response:
    response.raise_for_status()
    for line in response.iter_lines():
        print(line)`,
  },
];

/** The path item of the stream. It is not among the routes: the gateway makes the stream from pages of the feed. */
export function eventStreamPath(publicUrl: string, responses: SharedResponses) {
  const url = `${publicUrl}${apiPrefix}${path}?types=${created.type}`;
  return {
    [path]: {
      get: {
        operationId: 'events.stream',
        tags: ['Events' satisfies Tag],
        summary: eventStreamRoute.operation.summary,
        description: `${eventStreamRoute.operation.description}

Requires the scope \`events:read\`.`,
        'x-extension': true,
        'x-badges': [{ name: 'Extension' }],
        'x-group-parameters': true,
        parameters: [
          {
            ...place('after', 'Where to begin when there is no `Last-Event-ID`: as with `GET /events`. Default: -1.'),
            schema: { type: 'integer', minimum: after.minimum, maximum: after.maximum },
            example: created.sequence - 1,
          },
          {
            ...place('types', types.description),
            style: 'form',
            explode: false,
            schema: { type: 'array', items: { $ref: '#/components/schemas/EventType' }, minItems: 1 },
            example: [created.type],
          },
          { ...place('entity_id', entityId.description), schema: { type: 'string', format: entityId.format } },
          {
            in: 'header',
            name: 'Last-Event-ID',
            required: false,
            description:
              'The last `id` that the client got: the stream goes on after it. Programs for server-sent events send it ' +
              'by themselves. A page sends it itself, because an `EventSource` cannot send the key.',
            schema: { type: 'string', pattern: '^[0-9]+$' },
          },
        ],
        'x-codeSamples': samples(url),
        responses: {
          200: {
            description: 'The events, as they happen.',
            headers: { 'X-Request-Id': { $ref: '#/components/headers/XRequestId' } },
            content: {
              'text/event-stream': { schema: { type: 'string' }, examples: { example: { value: transcript } } },
            },
          },
          ...responses.of(errorsOf(eventStreamRoute)),
        },
      },
    },
  };
}
