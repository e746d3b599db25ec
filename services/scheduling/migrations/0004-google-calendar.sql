-- Google Calendar as a provider.
alter table calendar_connections drop constraint calendar_connections_provider_check;
alter table calendar_connections
  add constraint calendar_connections_provider_check check (provider in ('feed', 'caldav', 'google'));
