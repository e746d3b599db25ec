import { useState } from 'react';
import { type ConnectStoreCalendar, dataOf, platform, type StoreCalendar } from '../api/platform.ts';
import { keep, queries, storeQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { DocsLink } from '../ui/docs-link.tsx';
import { TextField } from '../ui/field.tsx';
import { say } from '../ui/toasts.tsx';
import {
  type CalendarProvider,
  fullAddress,
  neededBy,
  providerHints,
  providers,
  providerWords,
} from './calendar-providers.ts';
import { type Asked, ConnectDialog, type TextOf } from './connect-dialog.tsx';
import { calendarQuery } from './queries.ts';
import { wordsOfRefusal } from './reason-words.ts';

/** Connects a calendar. It is called before anything is kept. */
export function ConnectCalendar({ calendar, ...asked }: Asked & { readonly calendar: StoreCalendar }) {
  const [provider, setProvider] = useState<CalendarProvider>(calendar.provider ?? 'google');
  const connect = async (of: TextOf) => {
    const connected = await dataOf(platform.PUT('/calendar', { body: bodyOf(provider, of) }));
    await keep(calendarQuery, connected);
    void queries.invalidateQueries(storeQuery);
    const count = connected.appointments_pending;
    say(count > 0 ? m.connections_calendar_works_pending({ count }) : m.connections_calendar_works());
  };
  return (
    <ConnectDialog
      {...asked}
      title={m.connections_calendar_title()}
      provider={provider}
      providers={providers.map((each) => [each, providerWords[each]()] as const)}
      onProvider={setProvider}
      hint={providerHints[provider]()}
      needed={neededBy[provider]}
      connect={connect}
      action={m.connections_check_and_connect()}
      connecting={m.connections_checking()}
      wordsOf={wordsOfRefusal}
    >
      {({ field, part, secret }) => (
        <>
          {provider === 'caldav' && (
            <>
              <TextField
                label={m.connections_url_label()}
                hint={m.connections_url_hint()}
                type="url"
                defaultValue={calendar.url ?? ''}
                {...field('url')}
              />
              <TextField
                label={m.connections_username()}
                hint={m.connections_username_hint()}
                defaultValue={calendar.username ?? ''}
                {...field('username')}
              />
              <TextField
                label={m.connections_password()}
                hint={m.connections_password_hint()}
                {...secret('password')}
              />
            </>
          )}
          {provider === 'google' && (
            <>
              <DocsLink to="/docs/guides/google-calendar">{m.connections_google_guide()}</DocsLink>
              <TextField
                label={m.connections_calendar_id()}
                hint={m.connections_calendar_id_hint()}
                defaultValue={calendar.calendar_id ?? 'primary'}
                {...field('calendar_id')}
              />
              <TextField label={m.connections_client_id()} hint={m.connections_client_hint()} {...part('client_id')} />
              <TextField
                label={m.connections_client_secret()}
                hint={m.connections_client_hint()}
                {...secret('client_secret')}
              />
              <TextField
                label={m.connections_refresh_token()}
                hint={m.connections_refresh_token_hint()}
                {...secret('refresh_token')}
              />
            </>
          )}
        </>
      )}
    </ConnectDialog>
  );
}

function bodyOf(provider: CalendarProvider, of: TextOf): ConnectStoreCalendar {
  if (provider === 'caldav')
    return { provider, url: fullAddress(of('url')), username: of('username'), secrets: { password: of('password') } };
  if (provider === 'google') {
    const secrets = {
      client_id: of('client_id'),
      client_secret: of('client_secret'),
      refresh_token: of('refresh_token'),
    };
    return { provider, calendar_id: of('calendar_id'), secrets };
  }
  return { provider };
}
