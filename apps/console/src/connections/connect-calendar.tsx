import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { type ConnectStoreCalendar, dataOf, platform, type StoreCalendar } from '../api/platform.ts';
import { queries, storeQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';
import { type CalendarProvider, neededBy, providerHints, providers, providerWords } from './calendar-providers.ts';
import { connectFields } from './connect-fields.ts';
import { fullAddress } from './full-address.ts';
import { calendarQuery } from './queries.ts';
import { wordsOfRefusal } from './reason-words.ts';

type ConnectCalendarProps = {
  readonly calendar: StoreCalendar;
  readonly open: boolean;
  readonly onClose: () => void;
};

/** Asks which calendar, and for what it needs. The calendar is called before anything is kept. */
export function ConnectCalendar({ calendar, open, onClose }: ConnectCalendarProps) {
  const select = useRef<HTMLSelectElement>(null);
  const [provider, setProvider] = useState<CalendarProvider>(calendar.provider ?? 'google');
  const [missing, setMissing] = useState<ReadonlySet<string>>(new Set());
  const connect = useMutation({
    mutationFn: (body: ConnectStoreCalendar) => dataOf(platform.PUT('/calendar', { body })),
    onSuccess: (connected) => {
      queries.setQueryData(calendarQuery.queryKey, connected);
      void queries.invalidateQueries(storeQuery);
      const count = connected.appointments_pending;
      say(count > 0 ? m.connections_calendar_works_pending({ count }) : m.connections_calendar_works());
      onClose();
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const of = (name: string) => String(form.get(name) ?? '').trim();
    const left = new Set<string>(neededBy[provider].filter((name) => of(name) === ''));
    setMissing(left);
    if (left.size === 0 && !connect.isPending) connect.mutate(bodyOf(provider, of));
  };
  const { field, part, secret } = connectFields(missing, connect.error);
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={() => {
        connect.reset();
        setMissing(new Set());
      }}
      title={m.connections_calendar_title()}
      initialFocus={select}
    >
      <DialogForm
        onSubmit={submit}
        onClose={onClose}
        action={connect.isPending ? m.connections_checking() : m.connections_check_and_connect()}
        busy={connect.isPending}
        bad={connect.error ? wordsOfRefusal(connect.error) : undefined}
      >
        <SelectField
          label={m.connections_kind()}
          hint={providerHints[provider]()}
          ref={select}
          value={provider}
          onChange={({ target }) => {
            setProvider(providers.find((each) => each === target.value) ?? 'feed');
            connect.reset();
          }}
          choices={providers.map((each) => [each, providerWords[each]()] as const)}
        />
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
            <TextField label={m.connections_password()} hint={m.connections_password_hint()} {...secret('password')} />
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
      </DialogForm>
    </Dialog>
  );
}

function bodyOf(provider: CalendarProvider, of: (name: string) => string): ConnectStoreCalendar {
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
