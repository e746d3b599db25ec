/** `gateway`: HTTP. `service`: a schema and operations over NATS. `worker`: workflows of Temporal. */
export type ProcessKind = 'gateway' | 'service' | 'worker';

type Entry = { readonly name: string; readonly kind: ProcessKind; readonly port: number; readonly does: string };

/**
 * The processes of the platform, in the order in which documents list them. A process's name is also the name of its
 * NATS user and, of a service, of its schema, its runtime role and its folder. Ports differ, so that all processes fit
 * on one host.
 */
const table = [
  { name: 'gateway', kind: 'gateway', port: 8080, does: 'authenticates, limits and routes HTTP; serves the console' },
  { name: 'accounts', kind: 'service', port: 8081, does: 'stores, API keys, people, login sessions, the audit log' },
  { name: 'crm', kind: 'service', port: 8082, does: 'leads, sellers, agents, knowledge' },
  { name: 'scheduling', kind: 'service', port: 8083, does: 'appointments, calendars, follow-ups' },
  { name: 'messaging', kind: 'service', port: 8084, does: 'channels, conversations, messages, sessions' },
  { name: 'events', kind: 'service', port: 8085, does: 'the event feed of each store, and webhooks' },
  { name: 'assistant', kind: 'service', port: 8087, does: 'answers leads with AI: turns, models, budgets' },
  { name: 'workflows', kind: 'worker', port: 8086, does: 'runs the workflows of Temporal' },
] as const satisfies readonly Entry[];

export type ProcessName = (typeof table)[number]['name'];
/** A process with a schema of its name. */
export type ServiceName = Extract<(typeof table)[number], { readonly kind: 'service' }>['name'];

/** A role in the address of a variable, with which a process logs in to PostgreSQL. */
export type DatabaseLogin = { readonly variable: 'DATABASE_URL' | 'DATABASE_SYSTEM_URL'; readonly role: string };

/** Where a process listens: the variables of the address and port, and the port by default in every installation. */
export type Listener = { readonly host: string; readonly port: string; readonly number: number };

export type PlatformProcess = {
  readonly name: ProcessName;
  readonly kind: ProcessKind;
  /** Its task in a few words. */
  readonly does: string;
  /** From the repository's root. The start command is `node <nodeFlags> <program>`. */
  readonly program: string;
  /** Applies the migrations of its schema: `node <program> [--contract]`. Absent: the process has no schema. */
  readonly migrateProgram?: string;
  /** The roles of its own addresses. Empty: it does not use PostgreSQL. */
  readonly databaseLogins: readonly DatabaseLogin[];
  /** Serves `healthPaths`; the gateway also serves its API there. */
  readonly listener: Listener;
};

/** The processes by name. */
export const processes = Object.fromEntries(table.map((entry) => [entry.name, processOf(entry)])) as Record<
  ProcessName,
  PlatformProcess
>;

export const processNames: readonly ProcessName[] = table.map(({ name }) => name);

/** The services: each has a schema of its name. */
export const serviceNames: readonly ServiceName[] = table.flatMap((entry) =>
  entry.kind === 'service' ? [entry.name] : [],
);

/** The order of a stop: a group stops after the one before it has stopped. A start has the opposite order. */
export const stopOrder: readonly (readonly ProcessName[])[] = (['gateway', 'worker', 'service'] as const).map((kind) =>
  table.filter((entry) => entry.kind === kind).map(({ name }) => name),
);

/** The paths at `listener`: alive, able to work, and the metrics. */
export const healthPaths = { live: '/healthz', ready: '/readyz', metrics: '/metrics' } as const;

/**
 * Flags of every process. A larger young generation only keeps garbage longer, and so does an old one that may grow to a
 * quarter of the machine. Together this saves 50 to 200 MB in each process under load, for 5 % more processor time:
 * docs/adr/0016.
 */
export const nodeFlags = ['--max-semi-space-size=4', '--max-old-space-size=768'] as const;

/** What every deployment lets a process take, in MiB: the heap above, and what is outside of it, in a peak. */
export const memoryLimitMiB = 1536;

/**
 * Variables of the runtime, the same for every process. Each thread of V8 would keep memory of its own. And glibc, after a
 * large block was freed, would put the next ones among the small ones, where they leave holes that are never given back:
 * docs/measurements/messaging.md.
 */
export const runtimeEnvironment = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072' } as const;

function processOf({ name, kind, port, does }: Entry): PlatformProcess {
  const folder = kind === 'worker' ? name : `services/${name}`;
  const system: DatabaseLogin = { variable: 'DATABASE_SYSTEM_URL', role: `${name}_system` };
  const logins: Record<ProcessKind, DatabaseLogin[]> = {
    gateway: [system],
    service: [{ variable: 'DATABASE_URL', role: name }, system],
    worker: [],
  };
  const prefix = kind === 'gateway' ? 'HTTP' : 'HEALTH';
  return {
    name: name as ProcessName,
    ...{ kind, does, program: `${folder}/src/main.ts` },
    ...(kind === 'service' && { migrateProgram: `${folder}/src/migrate.ts` }),
    databaseLogins: logins[kind],
    listener: { host: `${prefix}_HOST`, port: `${prefix}_PORT`, number: port },
  };
}
