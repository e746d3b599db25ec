import { join } from 'node:path';
import { plaintextFaults } from '@mostrador/kit/process/plaintext';
import { passwordVariable } from '@mostrador/platform/servers';
import type { Command } from 'commander';
import { type Admin, printResult, verb } from '../admin.ts';
import { UsageError } from '../exit.ts';
import { loginIn, natsAddresses, postgresAddresses } from './addresses.ts';
import { natsSecrets, newKeys, newPassword, type Secret, secrets } from './secret-files.ts';
import {
  defaultFolder,
  pathOf,
  readSecret,
  refuseOpenFolder,
  replacePrivately,
  requiredSecret,
  writeSecret,
} from './secrets-folder.ts';

type Options = { postgres?: string; nats?: string; folder: string; addMissing?: boolean; json?: boolean };
type Result = { folder: string; written: string[]; kept: string[] };

/** For nats-server: the passwords of the users, as variables of its environment. */
const natsFile = 'nats.env';

export const generateSecretsCommand = (admin: Admin): Command =>
  verb('generate', 'Write a folder with a new password for each login and a new encryption key for each service', [
    'secrets generate --postgres "postgres://db.internal/mostrador?sslmode=verify-full" \\\n      --nats tls://nats.internal:4222 --folder secrets',
  ])
    .option('--postgres <address>', 'the address of PostgreSQL and the database, without a user (required)')
    .option('--nats <address>', 'the address of NATS, without a user; several separated by commas (required)')
    .option('--folder <path>', 'the folder to write', defaultFolder)
    .option('--add-missing', 'add what a new version needs, and keep all that is there')
    .addHelpText(
      'after',
      `
The folder has a folder for each process, such as crm/DATABASE_URL and crm/NATS_URL. A process reads such a file when the
variable DATABASE_URL_FILE names it. Other programs read:

  admin/NATS_URL                    this command
  crm-migrate/DATABASE_OWNER_URL    the migrations of crm
  nats.env                          nats-server, as variables of its environment

Only you can read the folder. Give each process its own folder only. Keep a copy of all: without ENCRYPTION_KEYS the
stored credentials of calendars, channels and webhooks are lost.

It writes no password to PostgreSQL: \`platform roles\` does. It never overwrites a secret.`,
    )
    .action(async (options: Options) => {
      const result = await generate(options, admin.environment.PLAINTEXT_ALLOW_HOSTS);
      printResult(admin, options, result, people);
    });

async function generate(
  { postgres, nats, folder, addMissing = false }: Options,
  plaintextHosts: string | undefined,
): Promise<Result> {
  const missing = [...(postgres ? [] : ['--postgres is required']), ...(nats ? [] : ['--nats is required'])];
  if (!postgres || !nats) throw new UsageError(missing);
  const addresses = { postgres: postgresAddresses(postgres), nats: natsAddresses(nats) };
  refusePlaintext(postgres, nats, plaintextHosts);
  await refuseOpenFolder(folder);

  const found = await Promise.all(secrets.map((secret) => readSecret(folder, secret)));
  const kept = secrets.filter((_, index) => found[index] !== undefined);
  const [first] = kept;
  if (first && !addMissing) {
    const others = kept.length > 1 ? ` and ${kept.length - 1} more` : '';
    throw new UsageError([
      `${folder} has secrets already: ${pathOf(first)}${others}. Choose another --folder, or keep them and add what is missing with --add-missing`,
    ]);
  }
  const written = secrets.filter((_, index) => found[index] === undefined);
  for (const secret of written) await writeSecret(folder, secret, newValueOf(secret, addresses));
  const lines = await Promise.all(
    natsSecrets.map(async (secret) => {
      const password = loginIn(await requiredSecret(folder, secret))?.password;
      if (!password) throw new UsageError([`${join(folder, pathOf(secret))} has no user and password`]);
      return `${passwordVariable(secret.natsUser)}=${password}\n`;
    }),
  );
  await replacePrivately(join(folder, natsFile), lines.join(''));
  return { folder, written: [...written.map(pathOf), natsFile], kept: kept.map(pathOf) };
}

function newValueOf(
  secret: Secret,
  addresses: { postgres: ReturnType<typeof postgresAddresses>; nats: ReturnType<typeof natsAddresses> },
): string {
  if ('role' in secret) return addresses.postgres(secret.role, newPassword());
  if ('natsUser' in secret) return addresses.nats(secret.natsUser, newPassword());
  return newKeys();
}

/** A process does not start with an address that leads to another machine without TLS, so nothing is written with it. */
function refusePlaintext(postgres: string, nats: string, plaintextHosts: string | undefined): void {
  const config = { DATABASE_URL: postgres, NATS_URL: nats, PLAINTEXT_ALLOW_HOSTS: plaintextHosts };
  const options: Record<string, string> = { DATABASE_URL: '--postgres', NATS_URL: '--nats' };
  const faults = plaintextFaults(config).map(({ pointer, detail }) => `${options[pointer.slice(2)]} ${detail}`);
  if (faults.length > 0) throw new UsageError(faults);
}

const people = ({ folder, written, kept }: Result): string =>
  [
    ...written.map((path) => `wrote ${join(folder, path)}`),
    ...(kept.length > 0 ? [`kept ${kept.length} others`] : []),
    'Keep a copy where you keep secrets. Next: start nats-server with nats.env, then `platform roles`.',
  ].join('\n');
