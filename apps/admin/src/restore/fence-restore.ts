import {
  type ApiKey,
  fenceFeeds,
  fenceMessages,
  fenceScheduling,
  fenceTurns,
  listApiKeys,
  listLostEvents,
  type ReplyOf,
  type StoreRecord,
} from '@mostrador/contracts';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { checked } from '../check.ts';
import { UsageError } from '../exit.ts';
import { stateOf } from '../keys/list-keys.ts';
import { allStores } from '../stores/list-stores.ts';
import { shown, table } from '../terminal.ts';

type Options = { since?: string; dryRun?: boolean; json?: boolean };
type Fenced = { service: 'messaging' | 'scheduling' | 'assistant' } & ReplyOf<typeof fenceMessages>;
type Lost = { store_id: string } & ReplyOf<typeof listLostEvents>;
type Result = { since: string; dry_run: boolean; services: Fenced[]; feeds: number; lost: Lost[]; keys: ApiKey[] };

/** One transaction for all stores; below the limit of a request, which is ten minutes. */
const fenceLimitMs = 9 * 60_000;

export const fenceRestoreCommand = (admin: Admin): Command =>
  verb(
    'fence',
    'After a restore of the database: hold what may have been sent, have the calendars compared, and restart the event feeds',
    ['restore fence --since 2027-01-31T09:00:00Z --dry-run', 'restore fence --since 2027-01-31T09:00:00Z'],
  )
    .option('--since <time>', 'the moment to which the database was restored, as RFC 3339 (required)')
    .option('--dry-run', 'count, and change nothing')
    .addHelpText(
      'after',
      `
Run it while no \`workflows\` process runs, because those send: docs/operations/restore.md has the whole order. It is safe
while they run, and it can be repeated: the same --since holds nothing more, restarts no feed, and lists what still
waits.`,
    )
    .action(async (options: Options) => {
      const request = checked(fenceMessages, { since: options.since, dry_run: options.dryRun });
      const { since, dry_run = false } = request.body;
      if (Date.parse(since) > Date.now()) throw new UsageError(['--since must not be in the future']);
      const services: Fenced[] = [
        { service: 'messaging', ...(await admin.platform.call(fenceMessages, request, undefined, fenceLimitMs)) },
        { service: 'scheduling', ...(await admin.platform.call(fenceScheduling, request, undefined, fenceLimitMs)) },
        { service: 'assistant', ...(await admin.platform.call(fenceTurns, request, undefined, fenceLimitMs)) },
      ];
      const { feeds } = await admin.platform.call(fenceFeeds, { body: { since, dry_run } }, undefined, fenceLimitMs);
      const stores = await allStores(admin);
      const [lost, keys] = [await lostEvents(admin, stores, since), await validKeys(admin, stores)];
      printResult(admin, options, { since, dry_run, services, feeds, lost, keys }, people);
    });

/** The calendars with events whose appointments are lost, and those that could not be listed. */
async function lostEvents(admin: Admin, stores: readonly StoreRecord[], since: string): Promise<Lost[]> {
  const lost: Lost[] = [];
  for (const { id } of stores) {
    lost.push({ store_id: id, ...(await admin.platform.call(listLostEvents, { body: { since } }, id)) });
  }
  return lost.filter(({ appointments, error }) => appointments.length > 0 || error !== null);
}

/** The keys that the restored database accepts. It cannot know which were revoked after the restore. */
async function validKeys(admin: Admin, stores: readonly StoreRecord[]): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for (const { id } of stores) {
    const listed = await admin.platform.call(listApiKeys, { body: { store_id: id } });
    keys.push(...listed.keys.filter((key) => !['revoked', 'expired'].includes(stateOf(key))));
  }
  return keys;
}

function people({ dry_run, services, feeds, lost, keys }: Result): string {
  const counts = table(
    ['SERVICE', dry_run ? 'WOULD HOLD' : 'HELD NOW', 'WAITING', 'EVENTS TO COMPARE'],
    services.map(({ service, held, waiting, events }) => [service, String(held), String(waiting), String(events)]),
  );
  const [messages = [], followups = []] = services.map(({ first, waiting }) => [
    ...first.map(({ store_id, id }) => [store_id, id]),
    ...(waiting > first.length ? [[`… and ${waiting - first.length} more: settle or release these, then repeat`]] : []),
  ]);
  const lostRows = lost.flatMap(({ store_id, appointments, events = [], error }) => [
    ...appointments.map((id) => {
      const event = events.find(({ appointment_id }) => appointment_id === id);
      return [store_id, id, event?.scheduled_at ?? '', shown(event?.title ?? '')];
    }),
    ...(error === null ? [] : [[store_id, `the calendar could not be listed: ${shown(error)}`, '', '']]),
  ]);
  const keyRows = keys.map((key) => [
    key.store_id,
    key.id,
    shown(key.name),
    key.created_at,
    key.last_used_at ?? 'never',
  ]);
  return [
    counts,
    `EVENT FEEDS that ${dry_run ? 'would restart' : 'restarted'}, so that readers copy their data again: ${feeds}`,
    section(
      'MESSAGES that may have been sent. The provider settles them, or you: `message settle`.',
      ['STORE', 'MESSAGE'],
      messages,
    ),
    section(
      'FOLLOW-UPS that may have been sent. Send them: `restore release`. Or cancel them with the API.',
      ['STORE', 'FOLLOW-UP'],
      followups,
    ),
    section(
      'LOST APPOINTMENTS that only the calendar has. Create them again, or delete the events.',
      ['STORE', 'APPOINTMENT', 'TIME', 'TITLE'],
      lostRows,
    ),
    section(
      'KEYS that are valid now. Revoke again those that were revoked after the restore: `key revoke`.',
      ['STORE', 'ID', 'NAME', 'CREATED', 'LAST USED'],
      keyRows,
    ),
    dry_run ? 'This was a dry run: nothing has changed.' : 'Next: start the `workflows` processes.',
  ].join('\n\n');
}

const section = (title: string, headings: readonly string[], rows: readonly string[][]): string =>
  `${title}\n${rows.length === 0 ? 'none' : table(headings, rows)}`;
