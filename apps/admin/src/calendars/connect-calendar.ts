import { calendarProviders, connectCalendar } from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, callForStore, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { UsageError } from '../exit.ts';
import { readSecrets, withSecrets } from '../secrets.ts';
import { record } from '../terminal.ts';

type Options = {
  store?: string;
  provider?: string;
  url?: string;
  username?: string;
  calendarId?: string;
  apiUrl?: string;
  tokenUrl?: string;
  rotate?: true;
  secretsStdin?: boolean;
  json?: boolean;
};

export const connectCalendarCommand = (admin: Admin): Command =>
  withSecrets(
    verb('connect', "Connect a store's calendar in place of the previous one; future appointments are synced to it", [
      'calendar connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider feed',
      'calendar connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider feed --rotate',
      'calendar connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider caldav \\\n      --url https://dav.example.com/ana/agenda/ --username ana --secrets-stdin < secrets.json',
      'calendar connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider google \\\n      --calendar-id agenda@group.calendar.google.com --secrets-stdin < secrets.json',
    ]),
    'caldav: { "password" }, google: { "client_id", "client_secret", "refresh_token" }',
  )
    .option('--store <id>', 'the store (required)')
    .option('--provider <name>', `${calendarProviders.join(' or ')} (required)`)
    .option('--url <url>', 'caldav: the address of the calendar collection')
    .option('--username <name>', 'caldav: the user name of the account')
    .option('--calendar-id <id>', "google: the calendar's id, or primary for the account's main calendar")
    .option('--api-url <url>', 'google: the address of the API (default: the public one)')
    .option('--token-url <url>', 'google: the address for access tokens (default: the public one)')
    .option('--rotate', 'feed: give the feed a new address; the previous one stops working')
    .action(async (options: Options) => {
      const { store, provider, url, username, calendarId, apiUrl, tokenUrl, rotate } = options;
      refuseMisfits(options);
      const secrets = options.secretsStdin ? await readSecrets(admin.terminal, secretsExample(provider)) : undefined;
      const request = checked(connectCalendar, {
        provider,
        url,
        username,
        calendar_id: calendarId,
        api_url: apiUrl,
        token_url: tokenUrl,
        rotate,
        secrets,
      });
      const connected = await callForStore(admin, connectCalendar, request, store);
      printResult(admin, options, connected, (calendar) =>
        calendar.feed_url
          ? `${calendar.feed_url}\n\nAnyone who has this address can read the store's appointments.\nSubscribe to it in a calendar program. Connect with --rotate to replace it.`
          : record({
              provider: calendar.provider,
              status: calendar.status,
              'appointments to sync': calendar.appointments_to_sync,
            }),
      );
    });

const secretsExample = (provider: string | undefined): string =>
  provider === 'google' ? '{"client_id":"…","client_secret":"…","refresh_token":"…"}' : '{"password":"…"}';

/** The options of each provider. */
const optionsOf: Record<string, readonly (keyof Options)[]> = {
  feed: ['rotate'],
  caldav: ['url', 'username', 'secretsStdin'],
  google: ['calendarId', 'apiUrl', 'tokenUrl', 'secretsStdin'],
};
const requiredOf: Record<string, readonly (keyof Options)[]> = {
  caldav: ['url'],
  google: ['calendarId', 'secretsStdin'],
};

const written = (option: string): string => `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** Throws UsageError when the options do not fit the provider, before the command calls the platform. */
function refuseMisfits(options: Options): void {
  const { provider = '' } = options;
  const own = optionsOf[provider];
  if (!own) return;
  const faults: string[] = [];
  for (const option of new Set(Object.values(optionsOf).flat())) {
    if (options[option] === undefined || own.includes(option)) continue;
    const why = provider === 'feed' ? ', which needs no account' : option === 'rotate' ? ', only for feed' : '';
    faults.push(`${written(option)} is not for --provider ${provider}${why}`);
  }
  for (const option of requiredOf[provider] ?? []) {
    if (options[option] === undefined) faults.push(`${written(option)} is required for --provider ${provider}`);
  }
  for (const option of ['url', 'apiUrl', 'tokenUrl'] as const) {
    const address = options[option];
    if (address === undefined || !own.includes(option)) continue;
    if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
      faults.push(`${written(option)} must be a full address that begins with https:// or http://`);
    } else if (new URL(address).username || new URL(address).password) {
      faults.push(`${written(option)} must not contain a user name or password; pass secrets with --secrets-stdin`);
    }
  }
  if (faults.length > 0) throw new UsageError(faults);
}
