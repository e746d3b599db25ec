import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivately } from './write-privately.ts';

export interface Secrets {
  postgresPassword: string;
  /** `id:base64 of 32 bytes`, as ENCRYPTION_KEYS. What is encrypted with it is lost without it. */
  encryptionKeys: string;
}

/** The secrets of this clone's platform, made at its first start. */
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
