import type { Sql } from '@mostrador/kit/database/database';
import { codeOf } from '@mostrador/kit/database/failures';
import { serviceNames } from '@mostrador/platform/processes';
import {
  type Replication,
  type RoleState,
  readInvalidIndexes,
  readNewestMigration,
  readOpenTables,
  readReplication,
  readRoles,
  readServer,
  type ServerState,
  tryToWrite,
} from './database.repository.ts';
import { type Finding, toTime } from './finding.ts';

/** The gateway has no schema, only a role. */
const roleNames = [
  ...serviceNames.flatMap((schema) => [`${schema}_owner`, schema, `${schema}_system`]),
  'gateway_system',
];

const retainedTooMuch = 4 * 1024 ** 3;
const archiveLateMs = 10 * 60_000;
const backupOldMs = 48 * 3_600_000;

/** Whether the server takes writes, has connections left, and keeps what it must for a backup. */
export async function checkServer(sql: Sql): Promise<Finding[]> {
  const server = await readServer(sql);
  if (server.read_only) return judgeServer(server);
  const [refusal, replication] = [await refusalOf(() => tryToWrite(sql)), await readReplication(sql)];
  return [...judgeServer(server), ...(refusal ? [judgeRefusal(refusal)] : []), ...judgeReplication(replication)];
}

async function refusalOf(work: () => Promise<void>): Promise<{ code: string; message: string } | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return { code: codeOf(error) ?? '', message: (error as Error).message };
  }
}

/** Pure. */
export function judgeServer(server: Omit<ServerState, 'version'>): Finding[] {
  const findings: Finding[] = [];
  const now = toTime(server.now);
  if (server.read_only) {
    findings.push({
      severity: 'critical',
      isRoot: true,
      what: 'PostgreSQL is read-only. Every request that writes gets 503, and nothing is sent',
      since: null,
      why: server.standby
        ? 'It is a standby: no primary answers at the address, or the address leads to the standby.'
        : 'default_transaction_read_only is on. An administrator may have set it to fence the server, or because its disk is full.',
      remedy: server.standby
        ? 'Promote it once the old primary is fenced, or correct the address: docs/operations/readiness.md.'
        : 'Find out why. Then: alter system reset default_transaction_read_only; select pg_reload_conf(). Or reset it for the database or the role.',
    });
  }
  if (!server.unbound) {
    findings.push({
      severity: 'warning',
      what: 'The queue ages below are not complete',
      since: now,
      why: 'Row-level security binds the user in POSTGRES_URL, so it does not see the rows of stores.',
      remedy: 'Use an administrator, or a role with bypassrls that may only read.',
    });
  }
  if (server.connections > 0.9 * server.most_connections) {
    findings.push({
      severity: 'warning',
      what: `PostgreSQL has ${server.connections} of ${server.most_connections} connections in use`,
      since: now,
      why: 'Pools of all processes together need nearly all of them.',
      remedy: 'Raise max_connections, or lower the pool sizes.',
    });
  }
  return findings;
}

/** Pure. */
export const judgeRefusal = ({ code, message }: { code: string; message: string }): Finding => {
  const full = code === '53100' || /no space left/i.test(message);
  return {
    severity: 'critical',
    isRoot: true,
    what: full
      ? 'The disk of PostgreSQL is full. Requests that write fail, and nothing is sent'
      : 'PostgreSQL refuses a trial write. Requests that write probably fail, too',
    since: null,
    why: `A trial write of one megabyte, which is undone, fails: ${message}${code ? ` (${code})` : ''}.`,
    remedy: full
      ? 'Make room: look for replication slots that keep the log, for a log archive that fails, and for other files on that disk. Then enlarge it. Delete nothing in pg_wal.'
      : 'The log of PostgreSQL says why.',
  };
};

/** Pure. */
export function judgeReplication({ slots, fenced_since, ...log }: Replication): Finding[] {
  const findings: Finding[] = slots
    .filter(({ retained_bytes }) => retained_bytes > retainedTooMuch)
    .map(({ name, retained_bytes }) => ({
      severity: 'warning',
      what: `The replication slot ${name} keeps ${(retained_bytes / 1024 ** 3).toFixed(1)} GB of the log, and nothing reads it`,
      since: null,
      why: 'Its standby or its backup is gone. The log fills the disk in time.',
      remedy: 'Start what reads it, or drop the slot: select pg_drop_replication_slot(…).',
    }));
  findings.push(...judgeArchive(log));
  if (log.archive !== 'off') findings.push(...judgeBaseBackup(log));
  if (fenced_since) {
    findings.push({
      severity: 'note',
      what: 'The database was restored last to this moment, and fenced',
      since: toTime(fenced_since),
      why: '`restore fence` recorded it.',
      remedy: 'Nothing. What it holds is listed by `waiting list --reason restored`.',
    });
  }
  return findings;
}

type Log = Omit<Replication, 'slots' | 'fenced_since'>;

const cannotSee = 'The role in POSTGRES_URL may not see the files of the log.';
const letSee = 'Grant it pg_monitor, or use an administrator.';

function judgeArchive({ archive, archived_at, archive_failed_at, unarchived_since, now }: Log): Finding[] {
  if (archive_failed_at && (!archived_at || archive_failed_at > archived_at)) {
    return [
      {
        severity: 'warning',
        what: 'The archive of the log fails. A restore reaches only the last archived file, and the log fills the disk in time',
        since: toTime(archived_at ?? archive_failed_at),
        why: 'archive_command or archive_library ends with an error.',
        remedy: 'The log of PostgreSQL has the error. Mend it: the archive catches up by itself.',
      },
    ];
  }
  if (archive === 'off') {
    return [
      {
        severity: 'note',
        what: 'PostgreSQL archives no log, so no last backup is known',
        since: null,
        why: 'archive_mode is off.',
        remedy: 'Nothing, if backups are made in another way, or this is a platform for development.',
      },
    ];
  }
  if (unarchived_since && +now - +unarchived_since > archiveLateMs) {
    return [
      {
        severity: 'warning',
        what: 'The archive of the log stands still. A restore reaches only the last archived file, and the log fills the disk in time',
        since: toTime(unarchived_since),
        why: `A finished file of the log waits since then, and no error is recorded: archive_command hangs, or cannot keep up. ${archived_at ? `The last file was archived at ${archived_at.toISOString()}.` : 'No file was archived yet.'}`,
        remedy:
          'Look at what archive_command waits for, such as a mount that hangs, and at `ps` for its process. End that process: PostgreSQL starts it again.',
      },
    ];
  }
  const isKnown = unarchived_since !== undefined;
  return [
    {
      severity: 'note',
      what: archived_at ? 'The log of PostgreSQL was archived last' : 'PostgreSQL has archived no file of its log yet',
      since: toTime(archived_at),
      why: `archive_mode is on, and no attempt has failed since. ${isKnown ? 'No finished file waits for long.' : cannotSee}`,
      remedy: isKnown
        ? 'Nothing. A restore reaches this moment.'
        : `${letSee} Until then an archive that hangs is not seen.`,
    },
  ];
}

/** What takes a base backup ends it with a call to the server, which leaves a file in the log. */
function judgeBaseBackup({ backed_up_at, now }: Log): Finding[] {
  if (backed_up_at === undefined) {
    return [
      { severity: 'note', what: 'The last base backup is not known', since: null, why: cannotSee, remedy: letSee },
    ];
  }
  if (backed_up_at !== null && +now - +backed_up_at <= backupOldMs) {
    return [
      {
        severity: 'note',
        what: 'The last base backup ended',
        since: toTime(backed_up_at),
        why: 'Its file is in the log of the server.',
        remedy: 'Nothing. Whether it can be restored shows only a rehearsal: docs/operations/backup.md.',
      },
    ];
  }
  return [
    {
      severity: 'warning',
      what: backed_up_at
        ? 'The newest base backup is older than two days, so a restore takes long'
        : 'The server knows of no base backup. Without one the archived log restores nothing',
      since: toTime(backed_up_at),
      why: backed_up_at
        ? 'No base backup has ended on this server since.'
        : 'No base backup has ended on this server since it was made, restored or promoted.',
      remedy:
        'Take one, and look at what should take it each day: docs/operations/backup.md. Backups of a standby, and snapshots of the disk, are not seen here.',
    },
  ];
}

/** The roles, row-level security, and indexes. */
export async function checkSchemas(sql: Sql): Promise<Finding[]> {
  const [roles, open, invalid, migrations] = await Promise.all([
    readRoles(sql, roleNames, serviceNames),
    readOpenTables(sql, serviceNames),
    readInvalidIndexes(sql, serviceNames),
    Promise.all(
      serviceNames.map((schema) =>
        readNewestMigration(sql, schema).catch((error) => {
          if (codeOf(error) === '42P01' || codeOf(error) === '3F000') return null;
          throw error;
        }),
      ),
    ),
  ]);
  return [
    ...judgeRoles(roles),
    ...open.map(
      ({ name }): Finding => ({
        severity: 'critical',
        what: `Row-level security does not keep the stores in ${name} apart`,
        since: null,
        why: 'It is not enabled, or not forced, for a table with rows of stores.',
        remedy: `alter table ${name} enable row level security, force row level security. Then find out who changed it.`,
      }),
    ),
    ...invalid.map(
      ({ name, schema, building }): Finding => ({
        severity: building ? 'note' : 'critical',
        what: building
          ? `The index ${name} is being built`
          : `The index ${name} is invalid, so PostgreSQL does not use it`,
        since: null,
        why: building ? 'A migration runs.' : 'Its build failed. Statements that need a unique index fail.',
        remedy: building
          ? 'Nothing: wait for it.'
          : `Run the migrate command of ${schema}: it drops the index and builds it again.`,
      }),
    ),
    ...judgeMigrations(serviceNames.filter((_, index) => migrations[index] === null)),
  ];
}

/** Pure. */
export function judgeMigrations(missing: readonly string[]): Finding[] {
  if (missing.length === 0) return [];
  const isEmpty = missing.length === serviceNames.length;
  return [
    {
      severity: 'critical',
      what: isEmpty
        ? 'The database at POSTGRES_URL has no schema of the platform'
        : `${missing.length === 1 ? 'The schema' : 'The schemas'} ${missing.join(', ')} ${missing.length === 1 ? 'has' : 'have'} no migration`,
      since: null,
      why: isEmpty ? 'It is another database, or nothing was migrated.' : 'The migrate command has not run there.',
      remedy: isEmpty
        ? 'Name the database: `doctor --database NAME`. If it is the right one, run the migrate commands of all services.'
        : `Run the migrate command of ${missing.join(', ')}.`,
    },
  ];
}

/** Pure. */
export function judgeRoles(roles: readonly RoleState[]): Finding[] {
  const found = new Map(roles.map((role) => [role.name, role]));
  return roleNames.flatMap((name): Finding[] => {
    const role = found.get(name);
    if (!role?.login) {
      return [
        {
          severity: 'critical',
          what: `The role ${name} ${role ? 'may not log in' : 'does not exist'}`,
          since: null,
          why: 'Its process, or its migrations, cannot connect.',
          remedy: 'Create the roles again: that changes no password.',
        },
      ];
    }
    const foreign = role.foreign_schemas.join(', ');
    if (!role.too_much && foreign === '') return [];
    return [
      {
        severity: 'critical',
        what: `The role ${name} may do more than its process needs`,
        since: null,
        why: role.too_much
          ? 'It is an administrator, or row-level security does not bind it.'
          : `It may use the schema of another service: ${foreign}.`,
        remedy: 'Create the roles again, and revoke what was granted by hand.',
      },
    ];
  });
}
