import { type Static, Type } from '@sinclair/typebox';
import { StoreTier } from '../core/access.ts';
import { About, Nullable, NullableString, Timestamp, Uuid } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { ChannelConnection, MessageBudget } from '../messaging/channels.ts';
import { CalendarConnection } from '../scheduling/calendars.ts';
import { SendingWindows } from '../scheduling/followups.ts';

export const Store = Type.Object(
  {
    id: About(Uuid, 'The id of the store.'),
    name: Type.String({ description: 'The name of the store.' }),
    tier: StoreTier,
    timezone: Type.String({ description: 'The IANA time zone of the store’s days and hours.' }),
    locale: Type.String({ description: 'The language of the store, as a BCP 47 tag.' }),
    country: Type.Unsafe<string | null>({
      ...NullableString,
      description:
        'ISO 3166. National phone numbers are completed with its country code. By default it is the country of the ' +
        'time zone, else that of the locale. Null when neither has one: then phones need their country code.',
    }),
    calendar: CalendarConnection,
    channel: ChannelConnection,
    opt_out_stops_api: Type.Optional(
      Type.Boolean({
        description:
          'Whether an opt-out of a lead also stops messages of source `api`, with 422 `lead_opted_out`. On in new stores.',
      }),
    ),
    message_budget: Type.Optional(
      Nullable(MessageBudget, { description: 'The budget for the messages of this month. Null: there is no limit.' }),
    ),
    sending_windows: Type.Optional(
      About(SendingWindows, 'When follow-ups may be sent, in the time zone of the store. An empty list: at any time.'),
    ),
    created_at: About(Timestamp, 'When it was created.'),
    updated_at: About(Timestamp, 'When it last changed.'),
  },
  { title: 'Store', description: 'A store, with the state of its calendar and its channel.' },
);
export type Store = Static<typeof Store>;

export const getStore = defineOperation({
  subject: 'gateway.api.stores.get',
  http: { method: 'GET', path: '/store' },
  access: { scope: 'store:read' },
  summary: 'Read the store of the key',
  request: {},
  reply: Store,
});
