import { Type } from '@sinclair/typebox';
import { About, Exact, NullableString, OneOf } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import {
  GiveUpWaiting,
  RetryWaiting,
  WaitingChange,
  WaitingItem,
  WaitingKindWord,
  type WaitingService,
  waitingKinds,
} from '../core/waiting.ts';

const waitingServices = [...new Set(Object.values(waitingKinds))].sort() as WaitingService[];

export const listWaiting = defineOperation({
  subject: 'gateway.platform.waiting.list',
  http: { method: 'GET', path: '/waiting' },
  access: { role: 'manager' },
  summary: 'List what waits in the store, the oldest first',
  description:
    'All kinds together. A service that does not answer is named in `unavailable`, and what waits in it is missing.',
  request: {
    query: Exact({
      kind: Type.Optional(WaitingKindWord),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'The most items.' })),
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: 200, description: 'The `next_cursor` of the page before.' }),
      ),
    }),
  },
  reply: Type.Object(
    {
      data: Type.Array(WaitingItem, { description: 'What waits.' }),
      next_cursor: About(NullableString, 'Not null: there is more. Send it as `cursor`.'),
      unavailable: Type.Array(
        OneOf(waitingServices, { title: 'WaitingService', description: 'A part of the platform.' }),
        { description: 'The parts of the platform that did not answer.' },
      ),
    },
    { title: 'WaitingList', description: 'What waits in the store.' },
  ),
});

export const retryWaiting = defineOperation({
  subject: 'gateway.platform.waiting.retry',
  http: { method: 'POST', path: '/waiting/retry' },
  access: { role: 'owner', audited: ['kind', 'ids', 'filter', 'unknown_as'] },
  summary: 'Make the next attempt of what waits now',
  description:
    'An open circuit, a rate limit and a sending window still hold. At most 500 a call; `next_cursor` goes on.',
  request: { body: RetryWaiting },
  reply: WaitingChange,
});

export const giveUpWaiting = defineOperation({
  subject: 'gateway.platform.waiting.give-up',
  http: { method: 'POST', path: '/waiting/give-up' },
  access: { role: 'owner', audited: ['kind', 'ids', 'filter', 'unknown_as'] },
  summary: 'Give up what waits',
  description:
    'A calendar sync becomes `failed` and its appointment stays. A follow-up becomes `cancelled`, a queued message ' +
    '`failed` with the code `given_up`, a webhook delivery `failed` with the error `given_up`. A row whose ' +
    'attempt runs is skipped. At most 500 a call; `next_cursor` goes on.',
  request: { body: GiveUpWaiting },
  reply: WaitingChange,
});

/** What the console must know of the deployment. */
export const getEnvironment = defineOperation({
  subject: 'gateway.platform.environment.get',
  http: { method: 'GET', path: '/environment' },
  access: { role: 'manager' },
  summary: 'Read what the console must know of this deployment',
  request: {},
  reply: Type.Object(
    {
      workflows_url: About(
        NullableString,
        'The workflows in Temporal’s UI. A link to one is this address, `/`, and the percent-encoded `workflow_id`. Null: the UI has no known address.',
      ),
    },
    { title: 'Environment', description: 'What the console must know about this deployment.' },
  ),
});
