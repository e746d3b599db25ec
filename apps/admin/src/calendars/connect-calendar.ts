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
  secretsStdin?: boolean;
  json?: boolean;
};

export const connectCalendarCommand = (admin: Admin): Command =>
  withSecrets(
    verb(
      'connect',
      "Connect a store's calendar, in place of what was connected; future appointments are synced to it",
      [
        'calendar connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider feed',
        'calendar connect --store 0198f2a0-5c1e-7d6a-9f00-1b2c3d4e5f60 --provider caldav \\\n      --url https://dav.example.com/ana/agenda/ --username ana --secrets-stdin < secrets.json',
      ],
    ),
    '{ "password" }',
  )
    .option('--store <id>', 'the store (required)')
    .option('--provider <name>', `${calendarProviders.join(' or ')} (required)`)
    .option('--url <url>', 'caldav: the address of the calendar collection')
    .option('--username <name>', 'caldav: who signs in')
    .action(async (options: Options) => {
      const { store, provider, url, username } = options;
      refuseMisfits(options);
      const secrets = options.secretsStdin ? await readSecrets(admin.terminal, '{"password":"…"}') : undefined;
      const request = checked(connectCalendar, { provider, url, username, secrets });
      const connected = await callForStore(admin, connectCalendar, request, store);
      printResult(admin, options, connected, (calendar) =>
        calendar.feed_url
          ? `${calendar.feed_url}\n\nThis is the only time that the address is shown. Whoever has it can read the store's\nappointments: subscribe to it in a calendar program, and connect again for a new one.`
          : record({
              provider: calendar.provider,
              status: calendar.status,
              'appointments to sync': calendar.appointments_to_sync,
            }),
      );
    });

/** What belongs to one provider only, said before the platform is asked. */
function refuseMisfits(options: Options): void {
  const faults: string[] = [];
  if (options.provider === 'feed') {
    for (const [name, value] of [
      ['--url', options.url],
      ['--username', options.username],
      ['--secrets-stdin', options.secretsStdin],
    ]) {
      if (value !== undefined) faults.push(`${name} is not for --provider feed, which needs no account`);
    }
  }
  if (options.provider === 'caldav') {
    if (options.url === undefined) faults.push('--url is required for --provider caldav');
    else if (!/^https?:\/\//i.test(options.url) || !URL.canParse(options.url)) {
      faults.push('--url must be a full address that begins with https:// or http://');
    } else if (new URL(options.url).username || new URL(options.url).password) {
      faults.push('--url must not hold a user name or password: use --username and --secrets-stdin');
    }
  }
  if (faults.length > 0) throw new UsageError(faults);
}
