import environment from './environment.json' with { type: 'json' };
import { type ProcessName, processes } from './processes.ts';

/** A program that reads variables: a process, the migrate command of every service, or the admin command. */
export type ProgramName = ProcessName | 'migrate' | 'admin';

/** An environment variable, as the configuration schema of its program has it. */
export type Variable = {
  readonly name: string;
  /** Plain text with Markdown's backticks. Absent: the name says it. */
  readonly description?: string;
  readonly type: 'text' | 'integer' | 'number' | 'boolean';
  /** The program does not start without it. */
  readonly required: boolean;
  /** As text. Absent: no default. */
  readonly default?: string;
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  /** Its value is secret: `fileVariable` names a file with it instead. */
  readonly secret?: boolean;
  /** Its value is the path of a file, which the program reads at its start. */
  readonly file?: boolean;
  /** It says where a build has put something. An image sets what it has, so only who runs a clone sets it. */
  readonly ofBuild?: boolean;
};

/**
 * The variables of every program. `tools/platform/write.ts` writes `environment.json` from the configuration schemas of
 * the programs, and a test compares them. It is a file because nothing here imports a process.
 */
const variables: Readonly<Record<string, readonly Variable[]>> = environment as Record<string, Variable[]>;

/** The variables of a program, in the order of its schema. */
export const variablesOf = (program: ProgramName): readonly Variable[] => variables[program] ?? [];

/** What Node itself reads in every process. */
export const nodeVariables: readonly Variable[] = [
  {
    name: 'NODE_EXTRA_CA_CERTS',
    description: 'Path of a file with the CA certificates that verify PostgreSQL and OpenID providers',
    type: 'text',
    required: false,
    file: true,
  },
];

/** The variable that names a file with the value of a secret variable. Setting both is an error. */
export const fileVariable = (name: string): string => `${name}_FILE`;

/** Whether a program reads this variable. */
export const reads = (program: ProgramName, name: string): boolean =>
  variablesOf(program).some((variable) => variable.name === name);

/** The distance from a process's port to the one for its metrics alone. */
const metricsOffset = 1000;

/** The ports of a process: the variable of each, and the number in every installation. */
export function portsOf(process: ProcessName): { readonly variable: string; readonly number: number }[] {
  const { port, number } = processes[process].listener;
  const ports = [
    { variable: port, number },
    { variable: 'METRICS_PORT', number: number + metricsOffset },
  ];
  return ports.filter(({ variable }) => reads(process, variable));
}

/** The variables of the addresses at which a process listens. In a container they are `0.0.0.0`. */
export const hostVariables = (process: ProcessName): string[] =>
  ['HTTP_HOST', 'HEALTH_HOST'].filter((variable) => reads(process, variable));

/** What a process may need beyond its own limits until it has ended. */
const marginSeconds = 5;

/**
 * The seconds that a platform waits between SIGTERM and SIGKILL: the drain delay of the gateway, the graceful stop, and a
 * margin. `values` are settings that differ from the defaults, in milliseconds as their variables have them.
 */
export function stopSeconds(process: ProcessName, values: Readonly<Record<string, number>> = {}): number {
  const limits = ['DRAIN_DELAY_MS', 'SHUTDOWN_TIMEOUT_MS'].map((name) => {
    const byDefault = variablesOf(process).find((variable) => variable.name === name)?.default ?? 0;
    return values[name] ?? Number(byDefault);
  });
  return Math.ceil(limits.reduce((sum, limit) => sum + limit, 0) / 1000) + marginSeconds;
}
