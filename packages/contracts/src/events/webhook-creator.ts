import { type Static, Type } from '@sinclair/typebox';
import { About, NullableString, OneOf, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';

export const webhookStatuses = ['enabled', 'paused', 'disabled'] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];
export const WebhookStatusWord = OneOf(webhookStatuses, {
  title: 'WebhookEndpointStatus',
  description:
    '`enabled`: events are sent. `paused`: a request stopped them. `disabled`: the endpoint was given up; see ' +
    '`disabled_reason`. Events of a pause are kept in the feed, and sent when the endpoint is `enabled` again.',
});

export const WebhookCreator = Type.Object(
  {
    kind: OneOf(['api_key', 'user', 'operator'], {
      title: 'WebhookCreatorKind',
      description:
        '`api_key`: a request with an API key. `user`: a person, in the console. `operator`: who runs the platform, with ' +
        'the admin command.',
    }),
    id: About(NullableString, 'The id of the API key or of the person. Null: the operator.'),
  },
  { title: 'WebhookCreator', description: 'Who created the endpoint.' },
);
export type WebhookCreator = Static<typeof WebhookCreator>;

const ofPerson = Type.Object({
  /** The id of the person in the store. */
  user_id: Uuid,
  /** All API keys that the person created. */
  key_ids: Type.Array(Type.String({ maxLength: 40 })),
});

/** For accounts, when a person leaves a store. */
export const listEndpointsOfPerson = defineOperation({
  subject: 'events.internal.webhook-endpoints.of-person',
  access: 'platform',
  summary: 'List the webhook endpoints that a person, or a key of theirs, created',
  request: { body: ofPerson },
  reply: Type.Object({
    endpoints: Type.Array(
      Type.Object({ id: Uuid, url: Type.String(), status: WebhookStatusWord, created_by: WebhookCreator }),
    ),
  }),
});

/** Safe to repeat: a paused endpoint stays as it is. The reply has the ids of those that it paused, also disabled ones. */
export const pauseEndpointsOfPerson = defineOperation({
  subject: 'events.internal.webhook-endpoints.pause-of-person',
  access: 'platform',
  summary: 'Pause the webhook endpoints that a person, or a key of theirs, created',
  request: { body: ofPerson },
  reply: Type.Object({ paused: Type.Array(Uuid) }),
});
