import { createHmac, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type NatsUser, natsUsers, passwordVariable } from '@mostrador/platform/servers';
import { writePrivately } from './write-privately.ts';

export type Secrets = {
  postgresPassword: string;
  /** `id:base64 of 32 bytes`, as ENCRYPTION_KEYS. Data that is encrypted with it is lost without it. */
  encryptionKeys: string;
};

/** Reads the secrets of this clone's platform. The first start creates them. Throws when the file is unreadable. */
export function readSecrets(localDirectory: string): Secrets {
  const file = join(localDirectory, 'secrets.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw new Error(`${file} cannot be read`, { cause: error });
  }
  const secrets = {
    postgresPassword: randomBytes(24).toString('base64url'),
    encryptionKeys: `dev1:${randomBytes(32).toString('base64')}`,
  };
  mkdirSync(localDirectory, { recursive: true });
  writePrivately(file, secrets);
  return secrets;
}

/** The address with a user of our own NATS server and that user's own password. */
export function natsUrlOf(user: NatsUser, server: string, password: string): string {
  const url = new URL(server);
  url.username = user;
  url.password = natsPassword(user, password);
  return url.href;
}

/** The environment variables from which nats-server reads the users' passwords. */
export const natsPasswords = (password: string): NodeJS.ProcessEnv =>
  Object.fromEntries(natsUsers.map((user) => [passwordVariable(user), natsPassword(user, password)]));

/** The password of a user. It begins with a letter, because nats-server reads a leading digit as a number. */
const natsPassword = (user: NatsUser, password: string): string =>
  `p${createHmac('sha256', password).update(`nats ${user}`).digest('hex')}`;
