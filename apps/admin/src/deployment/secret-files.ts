import { randomBytes } from 'node:crypto';
import { variablesOf } from '@mostrador/platform/environment';
import {
  type ProcessName,
  processes,
  processNames,
  type ServiceName,
  serviceNames,
} from '@mostrador/platform/processes';
import { type NatsUser, ownerRoleOf } from '@mostrador/platform/servers';
import type { SecretFile } from './secrets-folder.ts';

/** What a file holds: an address with the password of a role or of a NATS user, or keys. */
export type DatabaseSecret = SecretFile & { readonly role: string };
export type NatsSecret = SecretFile & { readonly natsUser: NatsUser };
type KeysSecret = SecretFile & { readonly keys: true };
export type Secret = DatabaseSecret | NatsSecret | KeysSecret;

/** What the migrate command of a service reads. The service itself must not. */
export const ownerSecretOf = (service: ServiceName): DatabaseSecret => ({
  holder: `${service}-migrate`,
  variable: 'DATABASE_OWNER_URL',
  role: ownerRoleOf(service),
});

const natsSecretOf = (natsUser: NatsUser): NatsSecret => ({
  holder: natsUser,
  variable: 'NATS_URL',
  natsUser,
});

const databaseSecretsOf = (process: ProcessName): DatabaseSecret[] =>
  processes[process].databaseLogins.map(({ variable, role }) => ({ holder: process, variable, role }));

const keysOf = (process: ProcessName): KeysSecret[] =>
  variablesOf(process)
    .filter(({ name }) => name === 'ENCRYPTION_KEYS')
    .map(({ name }) => ({ holder: process, variable: name, keys: true }));

/** The secrets with an address of PostgreSQL: one for each role. */
export const databaseSecrets: readonly DatabaseSecret[] = [
  ...serviceNames.map(ownerSecretOf),
  ...processNames.flatMap(databaseSecretsOf),
];

export const natsSecrets: readonly NatsSecret[] = [...processNames, 'admin' as const].map(natsSecretOf);

/** Every secret that can be generated. A process gets others from the operator, such as TEMPORAL_API_KEY. */
export const secrets: readonly Secret[] = [...databaseSecrets, ...natsSecrets, ...processNames.flatMap(keysOf)];

/** 192 bits. It begins with a letter, because nats-server reads a leading digit as a number. */
export const newPassword = (): string => `p${randomBytes(24).toString('base64url')}`;

/** One key, as `ENCRYPTION_KEYS` holds it. */
export const newKeys = (): string => `k1:${randomBytes(32).toString('base64')}`;
