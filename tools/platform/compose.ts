import { stringify } from 'yaml';
import {
  fileVariable,
  hostVariables,
  portsOf,
  stopSeconds,
  variablesOf,
} from '../../packages/platform/src/environment.ts';
import {
  healthPaths,
  memoryLimitMiB,
  nodeFlags,
  type PlatformProcess,
  type ProcessName,
  processes,
  processNames,
  type ServiceName,
  serviceNames,
} from '../../packages/platform/src/processes.ts';

type Service = Record<string, unknown>;

/** The user of the images. It owns the folders `data`, `secrets` and `tls`. */
const user = '10001:10001';
const image = (name: string): string => `\${MOSTRADOR_IMAGES:-mostrador}/${name}:\${MOSTRADOR_VERSION:?set it in .env}`;
const ca = '/run/tls/ca.pem';
/** The CA of this host, and those of other servers: certificates only. The keys in `tls` are for their servers alone. */
const authorities = [`./tls/ca.pem:${ca}:ro`, './tls/authorities:/run/tls/authorities:ro'];
/** The folder of all secrets, only for the admin command. */
const secretsFolder = '/run/mostrador';
const done = 'service_completed_successfully';
const healthy = 'service_healthy';
const migrationOf = (service: ServiceName): string => `migrate-${service}`;

/** For every container: not root, nothing to write but what is mounted, no right that it does not need. */
const confined = {
  user,
  read_only: true,
  cap_drop: ['ALL'],
  security_opt: ['no-new-privileges:true'],
  tmpfs: ['/tmp'],
};
const runs = { restart: 'unless-stopped' };
/** Compose starts it once, and what depends on it when it has succeeded. It can be repeated. */
const once = { restart: 'no' };

/** `infra/compose/compose.yaml`: PostgreSQL, NATS and every process on one host, with TLS between them. */
export const composeFile = (): Record<string, string> => ({
  'infra/compose/compose.yaml': `# The platform on one host: docs/operations/compose.md.
# Written by \`node_modules/.bin/node tools/platform/write.ts\`. Change it in a compose.override.yaml.
${stringify(
  {
    name: 'mostrador',
    services: {
      postgres: postgres(),
      nats: nats(),
      roles: roles(),
      temporal: temporal(),
      admin: admin(),
      ...Object.fromEntries(serviceNames.map((service) => [migrationOf(service), migration(service)])),
      ...Object.fromEntries(processNames.map((process) => [process, processService(processes[process])])),
    },
    secrets: {
      'postgres-PASSWORD': { file: './secrets/postgres/PASSWORD' },
      ...Object.fromEntries(
        [
          ...serviceNames.flatMap((service) => requiredSecrets('migrate').map((name) => [`${service}-migrate`, name])),
          ...processNames.flatMap((process) => requiredSecrets(process).map((name) => [process, name])),
        ].map(([holder, name]) => [`${holder}-${name}`, { file: `./secrets/${holder}/${name}` }]),
      ),
    },
  },
  { lineWidth: 0, aliasDuplicateObjects: false, version: '1.1' },
)}`,
});

const postgres = (): Service => ({
  image: 'postgres:18',
  ...confined,
  ...runs,
  tmpfs: ['/tmp', '/var/run/postgresql'],
  command: [
    ...[
      'postgres',
      '-c',
      'ssl=on',
      '-c',
      'ssl_cert_file=/run/tls/postgres.crt',
      '-c',
      'ssl_key_file=/run/tls/postgres.key',
    ],
    ...['-c', 'hba_file=/etc/postgresql/pg_hba.conf', '-c', 'max_connections=300'],
  ],
  environment: { POSTGRES_PASSWORD_FILE: '/run/secrets/PASSWORD' },
  secrets: [{ source: 'postgres-PASSWORD', target: 'PASSWORD' }],
  volumes: [
    './data/postgres:/var/lib/postgresql',
    './pg_hba.conf:/etc/postgresql/pg_hba.conf:ro',
    './tls/postgres.crt:/run/tls/postgres.crt:ro',
    './tls/postgres.key:/run/tls/postgres.key:ro',
  ],
  // While it creates its data, the server listens only on its socket. So this passes when it is really up.
  healthcheck: {
    test: ['CMD', 'pg_isready', '--host', '127.0.0.1'],
    interval: '2s',
    timeout: '2s',
    start_period: '30s',
  },
  stop_signal: 'SIGINT',
  stop_grace_period: '60s',
});

const nats = (): Service => ({
  image: 'nats:2.15-alpine',
  ...confined,
  ...runs,
  command: ['--config', '/etc/nats/compose.conf', '--store_dir', '/data'],
  // The passwords of the users.
  env_file: ['./secrets/nats.env'],
  volumes: [
    './data/nats:/data',
    './nats.conf:/etc/nats/compose.conf:ro',
    '../nats:/etc/nats/platform:ro',
    './tls/nats.crt:/run/tls/nats.crt:ro',
    './tls/nats.key:/run/tls/nats.key:ro',
  ],
  healthcheck: {
    test: ['CMD', 'wget', '-q', '-O', '/dev/null', 'http://127.0.0.1:8222/healthz?js-enabled-only=true'],
    interval: '2s',
    timeout: '2s',
    start_period: '30s',
  },
  stop_grace_period: '30s',
});

/** The roles and the database. It gives no password to a role that exists. */
const roles = (): Service => ({
  image: image('admin'),
  ...confined,
  ...once,
  command: ['platform', 'roles', '--folder', secretsFolder],
  environment: { NODE_EXTRA_CA_CERTS: ca, POSTGRES_URL_FILE: `${secretsFolder}/postgres/POSTGRES_URL` },
  volumes: [`./secrets:${secretsFolder}:ro`, ...authorities],
  depends_on: { postgres: { condition: healthy } },
});

/** The namespace of Temporal and its search attributes. */
const temporal = (): Service => ({
  image: image('admin'),
  ...confined,
  ...once,
  command: ['platform', 'temporal'],
  env_file: [{ path: './env/common.env' }],
  volumes: authorities,
});

/** The command of operators: `docker compose run --rm admin doctor`. `up` does not start it. */
const admin = (): Service => ({
  image: image('admin'),
  ...confined,
  ...once,
  profiles: ['admin'],
  env_file: [{ path: './env/common.env' }],
  environment: {
    NODE_EXTRA_CA_CERTS: ca,
    NATS_TLS_CA: ca,
    NATS_URL_FILE: `${secretsFolder}/admin/NATS_URL`,
    POSTGRES_URL_FILE: `${secretsFolder}/postgres/POSTGRES_URL`,
  },
  volumes: [`./secrets:${secretsFolder}:ro`, ...authorities],
  depends_on: { postgres: { condition: healthy }, nats: { condition: healthy } },
});

const migration = (service: ServiceName): Service => ({
  image: image(service),
  ...confined,
  ...once,
  entrypoint: ['node'],
  command: [processes[service].migrateProgram],
  environment: { LOG_FORMAT: 'json', NODE_EXTRA_CA_CERTS: ca, ...secretFiles('migrate') },
  secrets: secretsOf('migrate', `${service}-migrate`),
  volumes: authorities,
  depends_on: { roles: { condition: done } },
});

function processService({ name, kind, program, listener }: PlatformProcess): Service {
  const isGateway = kind === 'gateway';
  const migrations = kind === 'service' ? [name as ServiceName] : isGateway ? (['accounts'] as const) : [];
  // The gateway comes last, and stops first.
  const before = isGateway ? processNames.filter((other) => processes[other].kind !== 'gateway') : [];
  return {
    image: image(name),
    ...confined,
    ...runs,
    entrypoint: ['node', ...nodeFlags],
    command: [program],
    env_file: [{ path: './env/common.env' }, { path: `./env/${name}.env`, required: false }],
    environment: {
      ...Object.fromEntries(hostVariables(name).map((variable) => [variable, '0.0.0.0'])),
      ...Object.fromEntries(portsOf(name).map(({ variable, number }) => [variable, String(number)])),
      LOG_FORMAT: 'json',
      NODE_EXTRA_CA_CERTS: ca,
      NATS_TLS_CA: ca,
      ...secretFiles(name),
    },
    secrets: secretsOf(name, name),
    volumes: authorities,
    ...(isGateway && { ports: [`\${MOSTRADOR_HTTP:-127.0.0.1:8080}:${listener.number}`] }),
    healthcheck: {
      test: [
        'CMD',
        'node',
        '-e',
        `fetch('http://127.0.0.1:${listener.number}${healthPaths.ready}').then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))`,
      ],
      interval: '5s',
      timeout: '3s',
      start_period: '30s',
    },
    deploy: { resources: { limits: { memory: `${memoryLimitMiB}M` } } },
    stop_grace_period: `${stopSeconds(name)}s`,
    depends_on: {
      nats: { condition: healthy },
      // The services work while Temporal is down.
      ...(kind === 'worker' && { temporal: { condition: done } }),
      ...Object.fromEntries(migrations.map((service) => [migrationOf(service), { condition: done }])),
      ...Object.fromEntries(before.map((other) => [other, { condition: 'service_started' }])),
    },
  };
}

const requiredSecrets = (program: ProcessName | 'migrate'): string[] =>
  variablesOf(program).flatMap(({ name, secret, required }) => (secret && required ? [name] : []));

const secretFiles = (program: ProcessName | 'migrate'): Record<string, string> =>
  Object.fromEntries(requiredSecrets(program).map((name) => [fileVariable(name), `/run/secrets/${name}`]));

const secretsOf = (program: ProcessName | 'migrate', holder: string) =>
  requiredSecrets(program).map((name) => ({ source: `${holder}-${name}`, target: name }));
