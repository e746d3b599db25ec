import { reportClosing, reportServices, searchAttributes } from '@mostrador/contracts/workflows';
import { type ProcessName, processes, processNames, type ServiceName, serviceNames } from './processes.ts';

/** Each service has a schema of its name. */
export const schemas: readonly ServiceName[] = serviceNames;

/** A process that uses PostgreSQL. The gateway keeps nothing, and reads keys and stores in the schema of accounts. */
export type DatabaseUser = ServiceName | 'gateway';
export const databaseUsers: readonly DatabaseUser[] = [...schemas, 'gateway'];

/** The schema in which the roles of a process find their tables. */
export const schemaOf = (user: DatabaseUser): ServiceName => (user === 'gateway' ? 'accounts' : user);

/** The role that owns a schema and runs its migrations: the user in `DATABASE_OWNER_URL` of its migrate command. */
export const ownerRoleOf = (schema: ServiceName): string => `${schema}_owner`;

/** The roles of a process: of a service its owner, the one for requests and the system's; of the gateway the last. */
export const rolesOf = (user: DatabaseUser): string[] => [
  ...(user === 'gateway' ? [] : [ownerRoleOf(user)]),
  ...processes[user].databaseLogins.map(({ role }) => role),
];

/** Contributed modules of PostgreSQL that migrations use. They stand in this schema, which the administrator creates. */
export const extensions = { schema: 'extensions', names: ['btree_gin', 'btree_gist', 'pg_trgm'] } as const;

/** The database in examples and in files that are made from this description. */
export const defaultDatabase = 'mostrador';

/** Every process has its own NATS user, and so has the admin command. */
export type NatsUser = ProcessName | 'admin';
export const natsUsers: readonly NatsUser[] = [...processNames, 'admin'];

/** The environment variable of nats-server that holds the password of a user: `infra/nats/users.conf` reads it. */
export const passwordVariable = (user: NatsUser): string => `NATS_PASSWORD_${user.toUpperCase()}`;

/** What a namespace of Temporal needs. The worker creates the schedules; an operator creates the rest. */
export const temporal = {
  defaultNamespace: 'default',
  /** All of type Keyword. */
  searchAttributes: Object.values(searchAttributes) as string[],
  scheduleIds: reportServices.map((service) => reportClosing.scheduleId(service)) as string[],
} as const;
