import { type Static, Type } from '@sinclair/typebox';
import { About, Exact, NullableString, Text } from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { MessagingSettings, updateMessagingSettings } from '../messaging/settings.ts';
import { SendingWindows } from '../scheduling/followups.ts';
import { updateStore } from './stores.ts';

// What a store sets for itself. The operator alone sets its tier and rate.

const { timezone, locale, country } = updateStore.request.body.properties;
const { message_wait_seconds, session_idle_hours, opt_out_stops_api } = updateMessagingSettings.request.body.properties;

const texts = {
  name: 'The name of the store.',
  timezone: 'IANA time zone of the store, such as `America/Sao_Paulo`.',
  locale: 'BCP 47 language tag, such as `pt-BR`.',
  country: 'ISO 3166 code of the country whose national phone numbers are completed.',
  message_wait_seconds: 'How long a request that sends a message waits for the channel.',
  session_idle_hours: 'The hours without a message after which a session with a lead ends.',
  opt_out_stops_api: 'Whether an opt-out also stops messages of the API.',
  sending_windows: 'When follow-ups may be sent, in the time zone of the store. An empty list: always.',
  calendar_customer: 'Whether events in the calendar show the name and phone of the lead, from their next sync on.',
};

/** The settings of a store that its people see. */
export const StoreOptions = Type.Object(
  {
    name: Type.String({ description: texts.name }),
    timezone: Type.String({ description: texts.timezone }),
    locale: Type.String({ description: texts.locale }),
    country: About(NullableString, texts.country),
    message_wait_seconds: About(MessagingSettings.properties.message_wait_seconds, texts.message_wait_seconds),
    session_idle_hours: About(MessagingSettings.properties.session_idle_hours, texts.session_idle_hours),
    opt_out_stops_api: Type.Boolean({ description: texts.opt_out_stops_api }),
    sending_windows: About(SendingWindows, texts.sending_windows),
    calendar_customer: Type.Boolean({ description: texts.calendar_customer }),
  },
  { title: 'StoreOptions', description: 'The settings of the store.' },
);
export type StoreOptions = Static<typeof StoreOptions>;

export const getStoreOptions = defineOperation({
  subject: 'accounts.platform.settings.get',
  http: { method: 'GET', path: '/settings' },
  access: { role: 'manager' },
  tenancy: 'none',
  summary: 'Read the settings of the store',
  request: {},
  reply: StoreOptions,
  errors: ['invalid_session', 'role_required'],
});

/** Three services have a part of the settings, so a failure may leave some unchanged. The same request completes it. */
export const updateStoreOptions = defineOperation({
  subject: 'accounts.platform.settings.update',
  http: { method: 'PATCH', path: '/settings' },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'Change the settings of the store',
  description: 'Send at least one member; members left out stay as they are.',
  request: {
    body: Exact(
      {
        name: Type.Optional(Text(200, { description: texts.name })),
        timezone: About(timezone, texts.timezone),
        locale: About(locale, texts.locale),
        country: About(country, texts.country),
        message_wait_seconds: About(message_wait_seconds, texts.message_wait_seconds),
        session_idle_hours: About(session_idle_hours, texts.session_idle_hours),
        opt_out_stops_api: About(opt_out_stops_api, texts.opt_out_stops_api),
        sending_windows: Type.Optional(About(SendingWindows, texts.sending_windows)),
        calendar_customer: Type.Optional(Type.Boolean({ description: texts.calendar_customer })),
      },
      { minProperties: 1 },
    ),
  },
  reply: StoreOptions,
  errors: ['invalid_session', 'role_required'],
});
