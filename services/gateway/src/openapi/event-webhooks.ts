import {
  About,
  Event,
  type FeedType,
  feedCatalogue,
  feedDataSchema,
  feedPreviousMembers,
  feedTypes,
  isUpdatedType,
  Nullable,
  Uuid,
  webhookTestType,
} from '@mostrador/contracts';
import { type TProperties, Type } from '@sinclair/typebox';
import type { Tag } from '../routes/tags.ts';
import { exampleEvent } from './examples/events.ts';
import { exampleTest } from './examples/webhooks.ts';
import type { DocumentSchema, Schemas } from './schemas.ts';

const header = (name: string, description: string, schema: object, example: unknown) => ({
  in: 'header',
  name,
  required: true,
  description,
  schema,
  example,
});

/**
 * The headers of Standard Webhooks. They stand in every webhook: openapi-generator does not resolve a reference to a
 * parameter there.
 */
const signatureHeaders = [
  header(
    'webhook-id',
    'The `id` of the event: the same on every attempt, also of a replay. A receiver that knows it has the event already.',
    { type: 'string', format: 'uuid' },
    exampleEvent('appointment.created').id,
  ),
  header(
    'webhook-timestamp',
    'When this attempt was made, in Unix seconds. A receiver refuses one that is older than 5 minutes.',
    { type: 'integer' },
    1_768_223_163,
  ),
  header(
    'webhook-signature',
    'Signatures of `<webhook-id>.<webhook-timestamp>.<body>`, separated by spaces: `v1,` and a base64 HMAC-SHA256 ' +
      'by the secret, and by the previous secret after a rotation. With `asymmetric` also `v1a,` and an ed25519 ' +
      'signature. See standardwebhooks.com.',
    { type: 'string' },
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
];

/** The section `webhooks`: each type of event with the schema of exactly this type, from the catalogue, and the test. */
export const eventWebhooks = (schemas: Schemas): Record<string, unknown> =>
  Object.fromEntries(
    [...feedTypes.map(factOf), test].map((described) => [described.type, { post: documentEvent(described, schemas) }]),
  );

/** What a webhook says. */
type Described = {
  readonly type: string;
  readonly description: string;
  readonly data: TProperties;
  /** The members that `previous` may have. Undefined: it is null. */
  readonly previous?: TProperties;
  readonly example: Event;
};

function factOf(type: FeedType): Described {
  const { object, ...ids } = feedDataSchema(type).properties;
  // A generator of typed clients would refuse the event of a `thin` endpoint.
  const resource = object && Type.Optional(About(object, `${object.description} Absent with the payload \`thin\`.`));
  const data = resource ? { ...ids, object: resource } : ids;
  const previous = isUpdatedType(type) ? feedPreviousMembers(type) : undefined;
  return { type, description: feedCatalogue[type].description, data, previous, example: exampleEvent(type) };
}

const test: Described = {
  type: webhookTestType,
  description: 'A test of the endpoint. It is not in the feed, so its `sequence` is 0.',
  data: { endpoint_id: About(Uuid, 'The webhook endpoint.') },
  example: exampleTest,
};

function documentEvent({ example, ...described }: Described, schemas: Schemas) {
  const { type, description } = described;
  return {
    operationId: `on${nameOf(type)}`,
    // A tag of its own: openapi-generator writes a class for the webhooks of a tag, over that of its operations.
    tags: ['Event types' satisfies Tag],
    summary: type,
    description,
    'x-extension': true,
    'x-badges': [{ name: 'Extension' }],
    parameters: signatureHeaders,
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: eventSchema(described, schemas),
          examples: { example: { value: example } },
        },
      },
    },
    responses: {
      204: {
        description:
          'The receiver has the event. Any 2xx within 15 seconds says so. 410 disables the endpoint. Anything else is a ' +
          'failure: the event is sent again, up to 10 times in about 3 days, and after 429 and 503 not before `Retry-After`.',
      },
    },
  };
}

/** `Event` with the type as a constant, by which a client narrows it, and the data of this type. */
function eventSchema(
  { type, description, data: members, previous: changed }: Omit<Described, 'example'>,
  schemas: Schemas,
): DocumentSchema {
  const name = `${nameOf(type)}Event`;
  const data = Type.Object(members, { title: `${name}Data`, description: `What \`${type}\` says.` });
  const constant = Type.Literal(type, { description: 'What happened.' });
  const { previous } = Event.properties;
  const properties = {
    ...Event.properties,
    type: constant,
    ...(changed && { previous: previousSchema(name, changed, String(previous.description)) }),
    data,
  };
  return schemas.of(Type.Object(properties, { title: name, description }));
}

/** Each member may be absent: only those that changed are there. */
function previousSchema(name: string, changed: TProperties, description: string) {
  const members = Object.fromEntries(Object.entries(changed).map(([name, schema]) => [name, Type.Optional(schema)]));
  const own = { title: `${name}Previous`, description: 'What changed, with the values that it had before.' };
  return Nullable(Type.Object(members, own), { description });
}

/** `appointment.created` as `AppointmentCreated`. */
const nameOf = (type: string): string =>
  type
    .split(/[._]/)
    .map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`)
    .join('');
