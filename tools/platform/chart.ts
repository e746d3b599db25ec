import {
  nodeVariables,
  type ProgramName,
  portsOf,
  reads,
  stopSeconds,
  type Variable,
  variablesOf,
} from '../../packages/platform/src/environment.ts';
import { healthPaths, type ProcessName, processes, processNames } from '../../packages/platform/src/processes.ts';

/** The limits of a graceful stop, in the order in which they pass. */
const stopVariables = ['DRAIN_DELAY_MS', 'SHUTDOWN_TIMEOUT_MS'];

/** What `config` of the chart may have: not what stands in Secrets, and not what the images set. */
const isSetting = ({ secret, file, ofBuild }: Variable): boolean => !secret && !file && !ofBuild;

/** What the templates of the Helm chart know of the platform, as JSON: `infra/helm/mostrador/files/platform.json`. */
export function chartFile(): string {
  const all = [...processNames, 'migrate' as const].flatMap((program) => variablesOf(program));
  const names = (chosen: (variable: Variable) => unknown, from = all) => [
    ...new Set(from.filter(chosen).map(({ name }) => name)),
  ];
  const platform = {
    paths: healthPaths,
    variables: names(isSetting),
    /** The images set them, or have no use for them. */
    ofBuild: names(({ ofBuild }) => ofBuild),
    secrets: names(({ secret }) => secret, [...all, ...variablesOf('admin')]),
    files: [...nodeVariables.map(({ name }) => name), ...names(({ file }) => file)],
    /** The chart sets them. */
    ports: [...new Set(processNames.flatMap((name) => portsOf(name).map(({ variable }) => variable)))],
    processes: Object.fromEntries(processNames.map((name) => [name, ofProcess(name)])),
    migrate: settingsOf('migrate'),
    admin: settingsOf('admin'),
  };
  return `${JSON.stringify(platform, null, 2)}\n`;
}

function ofProcess(name: ProcessName) {
  const { kind, program, migrateProgram, listener, databaseLogins } = processes[name];
  const { variables, required, ...settings } = settingsOf(name);
  const isPort = (variable: string) => portsOf(name).some((port) => port.variable === variable);
  const defaults = variablesOf(name).filter((variable) => stopVariables.includes(variable.name));
  return {
    ...{ kind, program, migrateProgram, port: listener.number, portVariable: listener.port },
    /** `/metrics` is not at `port`. */
    hasMetricsPort: reads(name, 'METRICS_PORT'),
    variables: variables.filter((variable) => !isPort(variable)),
    required: required.filter((variable) => !isPort(variable)),
    ...settings,
    servers: [
      ...(databaseLogins.length > 0 ? ['postgres'] : []),
      'nats',
      ...(reads(name, 'TEMPORAL_ADDRESS') ? ['temporal'] : []),
    ],
    /** It calls addresses that stores choose, or a provider to sign in with. */
    outside: reads(name, 'DNS_SERVERS') || reads(name, 'OIDC_ISSUER'),
    stopMilliseconds: Object.fromEntries(defaults.map((variable) => [variable.name, Number(variable.default)])),
    marginSeconds: stopSeconds(name, Object.fromEntries(stopVariables.map((variable) => [variable, 0]))),
  };
}

/** The names of a program's variables: settings, secrets and paths of files. */
function settingsOf(program: ProgramName) {
  const all = variablesOf(program);
  const names = (chosen: (variable: Variable) => unknown) => all.filter(chosen).map(({ name }) => name);
  return {
    variables: names(isSetting),
    required: names((variable) => isSetting(variable) && variable.required),
    requiredSecrets: names(({ secret, required }) => secret && required),
    optionalSecrets: names(({ secret, required }) => secret && !required),
    files: [...nodeVariables.map(({ name }) => name), ...names(({ file }) => file)],
  };
}
