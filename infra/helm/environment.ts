import { readConfig } from '../../packages/kit/src/process/config.ts';
import type { ProgramName } from '../../packages/platform/src/environment.ts';
import { configs } from '../../tools/platform/environment.ts';
import type { Manifest } from './policy.ts';

/** What stands in the Secrets. */
const database = 'postgres://user:secret@db.internal:5432/mostrador?sslmode=verify-full';
const secrets: Readonly<Record<string, string>> = {
  NATS_URL: 'tls://user:secret@nats.internal:4222',
  DATABASE_URL: database,
  DATABASE_SYSTEM_URL: database,
  DATABASE_OWNER_URL: database,
  POSTGRES_URL: database,
  ENCRYPTION_KEYS: 'k1:secret',
};
type Variable = { readonly name: string; readonly value?: string };

/** Why the programs of the manifests would not start with their environment. */
export function environmentFaults(manifests: readonly Manifest[]): string[] {
  return manifests.flatMap(({ kind, metadata, spec }) => {
    type Pod = { readonly containers: readonly { readonly name: string; readonly env?: readonly Variable[] }[] };
    const pod = (spec?.template as { spec?: Pod } | undefined)?.spec;
    return (pod?.containers ?? []).flatMap(({ name, env = [] }) => {
      const program = (kind === 'Job' ? 'migrate' : name) as ProgramName;
      try {
        readConfig(configs[program] as never, Object.fromEntries(env.map(withSecret)));
        return [];
      } catch (error) {
        return [`${kind} ${metadata.name}: ${(error as Error).message}`];
      }
    });
  });
}

function withSecret({ name, value = '' }: Variable): [string, string] {
  const [, secret] = /^\/run\/secrets\/mostrador\/(\w+)$/.exec(value) ?? [];
  return secret && name === `${secret}_FILE` ? [secret, secrets[secret] ?? 'secret'] : [name, value];
}
