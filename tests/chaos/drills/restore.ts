import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { settleMessage } from '@mostrador/contracts';
import { root } from '@mostrador/local-platform/paths';
import { createRandom } from '@mostrador/testing/random';
import { waitFor } from '@mostrador/testing/wait';
import postgres from 'postgres';
import { drain } from '../storm/drain.ts';
import { type ChaosStore, createJournal } from '../storm/journal.ts';
import { startLoad } from '../storm/load.ts';
import { look, withServers } from '../storm/look.ts';
import { onPlatform } from '../storm/on-platform.ts';
import type { Platform } from '../storm/platform.ts';
import { allProcesses } from '../storm/processes.ts';
import { createStores } from '../storm/stores.ts';
import { admin } from './admin.ts';
import { takeBaseBackup } from './base-backup.ts';
import { compare, type LostEvent } from './compare.ts';
import { restoreCommands } from './restore-commands.ts';

type Settings = { readonly seconds: number; readonly seed: number };
type Say = (text: string) => void;
/** What `restore fence --json` prints. */
type Fenced = {
  readonly services: readonly { service: string; held: number; first: readonly { store_id: string; id: string }[] }[];
  readonly lost: readonly { store_id: string; events: readonly LostEvent[]; error: string | null }[];
};

const run = promisify(execFile);
const withoutWorkflows = allProcesses.filter((name) => name !== 'workflows');

/**
 * Takes a backup under load, destroys the database, restores it to a moment before, and brings the platform back as
 * docs/operations/restore.md says. Returns what did not hold.
 */
export async function restoreDrill(settings: Settings, say: Say): Promise<string[]> {
  const archive = join(root, '.local', `drill-archive-${process.pid}`);
  await mkdir(archive, { recursive: true });
  // PostgreSQL runs as another user.
  await chmod(archive, 0o777);
  const options = {
    random: createRandom(settings.seed + 2),
    phones: 3,
    diskMegabytes: 768,
    postgresSettings: [
      'archive_mode=on',
      `archive_command=test ! -f "${archive}/%f" && cp %p "${archive}/%f.part" && mv "${archive}/%f.part" "${archive}/%f"`,
      'archive_timeout=5s',
    ],
  };
  try {
    const work = (platform: Platform) => rehearse(platform, archive, settings, say);
    return await onPlatform(options, work, (faults) => faults.length === 0);
  } finally {
    await rm(archive, { recursive: true, force: true });
  }
}

async function rehearse(platform: Platform, archive: string, settings: Settings, say: Say): Promise<string[]> {
  const { seconds, seed } = settings;
  const { postgres: server } = platform.servers;
  const stores = await createStores(platform, { booking: false });
  const journal = createJournal();
  const { baseUrls } = platform;
  const load = startLoad({ baseUrls, stores, journal, random: createRandom(seed + 1), clients: 8, readers: 0 });
  await pause(seconds * 1_000);

  const data = join(server.folder(), 'postgres');
  const backup = join(platform.folder, 'backup');
  const [how, backupSeconds] = await timed(() => takeBaseBackup({ adminUrl: server.url(), data, to: backup }));
  say(`Backup under load in ${backupSeconds} s, by ${how}.`);
  await pause(seconds * 1_000);
  const since = await now(server.url());
  await pause(seconds * 1_000);
  await untilCalendarsShow(platform.servers.databaseUrl, since);
  await untilArchived(server.url());
  await load.stop();

  say(`Destroying the database, ${((Date.now() - Date.parse(since)) / 1000).toFixed(0)} s after ${since}.`);
  const owner = await stat(data);
  await server.killAll();
  await platform.processes.stop(...allProcesses);

  const [, restoreSeconds] = await timed(async () => {
    // A killed server leaves it, as the page says.
    await rm(join(data, 'postmaster.pid'), { force: true });
    // PostgreSQL starts only on files of its own user.
    const values = {
      data,
      base: backup,
      archive,
      moment: since.replace('Z', '+00'),
      owner: `${owner.uid}:${owner.gid}`,
    };
    await run('bash', ['-c', restoreCommands(values)]);
    await server.start();
    await waitFor(() => isPrimary(server.url()), { description: 'PostgreSQL has reached the moment' });
  });
  say(`Restored to ${since} in ${restoreSeconds} s. Starting all processes but workflows, and fencing.`);
  await platform.processes.start(...withoutWorkflows);
  const dry = await admin<Fenced>(platform, 'restore', 'fence', '--since', since, '--dry-run');
  const fenced = await admin<Fenced>(platform, 'restore', 'fence', '--since', since);
  for (const { service, held } of fenced.services) say(`Held in ${service}: ${held}`);
  const lost = fenced.lost.flatMap(({ events }) => events);
  say(`Lost appointments that the calendar has: ${lost.length}`);
  for (const { scheduled_at, title, appointment_id } of lost) say(`  ${scheduled_at}  ${title}  ${appointment_id}`);

  const sent = new Set(stores.flatMap(({ phone }) => phone.taken().map(({ text }) => text)));
  await settleMessages(platform, sent);
  await settleFollowups(platform, stores, fenced, sent);
  await platform.processes.start('workflows');
  say('Everything runs. Waiting until all work is done.');
  const seen = await withServers(platform, async (open) => {
    await drain(platform, stores, open, { say, rowsOnly: true });
    return await look(platform, stores, open);
  });
  const heldAlike = dry.services.every(({ held }, index) => held === fenced.services[index]?.held);
  return [
    ...(heldAlike ? [] : ['the dry run counted something else than the fence']),
    ...(lost.length > 0 ? [] : ['no calendar has a lost appointment, so the list of them is not rehearsed']),
    ...fenced.lost.flatMap(({ error }) => error ?? []),
    ...compare({ since, journal, seen, lost }, say),
  ];
}

/** Messages that may have been sent: a provider's log says whether each was. */
async function settleMessages(platform: Platform, sent: ReadonlySet<string>): Promise<void> {
  const held = await withServers(
    platform,
    ({ sql }) => sql<{ id: string; store_id: string; body: string }[]>`
      select id, store_id, body from messaging.messages where status = 'unknown'`,
  );
  await platform.inside(async (call) => {
    for (const { id, store_id, body } of held) {
      await call(settleMessage, { body: { message_id: id, status: sent.has(body) ? 'sent' : 'failed' } }, store_id);
    }
  });
}

/** Follow-ups that may have been sent: those in a provider's log are cancelled, and the others are released. */
async function settleFollowups(
  platform: Platform,
  stores: readonly ChaosStore[],
  fenced: Fenced,
  sent: ReadonlySet<string>,
): Promise<void> {
  const held = fenced.services.find(({ service }) => service === 'scheduling')?.first ?? [];
  for (const { store_id, id } of held) {
    const key = stores.find((store) => store.id === store_id)?.key as string;
    const url = `${platform.baseUrls()[0]}/followups/scheduled/${id}`;
    const response = await fetch(url, { headers: { 'x-api-key': key } });
    const { message } = (await response.json()) as { message: string };
    if (sent.has(message)) await fetch(url, { method: 'DELETE', headers: { 'x-api-key': key } });
    else await admin(platform, 'restore', 'release', '--store', store_id, '--followup', id);
  }
}

async function timed<T>(work: () => Promise<T>): Promise<[T, string]> {
  const startedAt = performance.now();
  const result = await work();
  return [result, ((performance.now() - startedAt) / 1000).toFixed(1)];
}

async function asked<T>(url: string, statement: string): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    const [row] = await sql.unsafe(statement);
    return row?.value as T;
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/** The server's clock, because the moment is compared with its commits. */
const now = async (url: string): Promise<string> =>
  (await asked<Date>(url, 'select clock_timestamp() as value')).toISOString();

const isPrimary = (url: string): Promise<boolean> => asked(url, 'select not pg_is_in_recovery() as value');

/** Waits until CalDAV calendars show appointments from after the moment. On a busy machine their syncs are late. */
async function untilCalendarsShow(url: string, since: string): Promise<void> {
  const statement = `
    select count(*)::int as value from scheduling.calendar_syncs s
    join scheduling.appointments a on a.store_id = s.store_id and a.id = s.appointment_id
    where s.state = 'synced' and s.href is not null and a.status = 'scheduled' and a.created_at > '${since}'`;
  const isShown = async () => (await asked<number>(url, statement)) >= 3;
  await waitFor(isShown, { description: 'calendars show appointments that will be lost', intervalMs: 500 });
}

/** Waits until the archive has all that was written until now. Without it a crash loses up to `archive_timeout`. */
async function untilArchived(url: string): Promise<void> {
  const file = await asked<string>(url, 'select pg_walfile_name(pg_current_wal_lsn()) as value');
  const isThere = `select coalesce(last_archived_wal >= '${file}', false) as value from pg_stat_archiver`;
  await waitFor(() => asked<boolean>(url, isThere), { description: `the archive has ${file}` });
}
