import { join, resolve } from 'node:path';
import { fileVariable, nodeVariables, portsOf, type Variable, variablesOf } from '@mostrador/platform/environment';
import { nodeFlags, type ProcessName, processes, runtimeEnvironment } from '@mostrador/platform/processes';

export type EnvironmentFile = {
  readonly text: string;
  /** Variables that the process needs and that have no value here. */
  readonly missing: readonly string[];
};

type Entry = readonly [name: string, value: string | undefined];

/**
 * The environment file of a process. Settings come from `environment`, secrets only as the paths of their files. What the
 * process may read besides stands in comments, with its default.
 *
 * @param options.hasSecret whether the folder has this secret of the process
 */
export function environmentFile(
  process: ProcessName,
  options: {
    readonly folder: string;
    readonly environment: NodeJS.ProcessEnv;
    readonly hasSecret: (variable: string) => boolean;
  },
): EnvironmentFile {
  const { folder, environment, hasSecret } = options;
  const { program, does } = processes[process];
  const ports = new Map(portsOf(process).map(({ variable, number }) => [variable, String(number)]));

  const entryOf = (variable: Variable): Entry => {
    const { name, secret } = variable;
    if (!secret) return [name, ports.get(name) ?? environment[name]];
    const named = fileVariable(name);
    // Each process has logins of its own, so a file of the environment counts only for what the folder lacks.
    return [named, hasSecret(name) ? join(resolve(folder), process, name) : environment[named]];
  };
  const variables = [...nodeVariables, ...variablesOf(process)].map((variable) => ({
    variable,
    entry: entryOf(variable),
  }));
  const entries: Entry[] = [...Object.entries(runtimeEnvironment), ...variables.map(({ entry }) => entry)];
  const set = entries.flatMap(([name, value]) => (value?.trim() ? [`${name}=${quoted(value)}`] : []));
  const unset = variables.filter(({ variable, entry }) => !variable.required && !hasValue(entry));
  const missing = variables.filter(({ variable, entry }) => variable.required && !hasValue(entry));
  return {
    missing: missing.map(({ entry: [name] }) => name),
    text: [
      `# ${process}: ${does}.`,
      `# Start: node ${nodeFlags.join(' ')} ${program}`,
      ...set,
      '',
      ...unset.map(({ variable, entry: [name] }) => `# ${name}=${variable.default ?? ''}`),
      '',
    ].join('\n'),
  };
}

const hasValue = ([, value]: Entry): boolean => Boolean(value?.trim());

/** As a shell, systemd and Node's `--env-file` read it. Docker's `env_file` keeps quotes, which only few values need. */
const quoted = (value: string): string =>
  /^[\w@%+=:,./-]*$/.test(value) ? value : `"${value.replaceAll(/["\\$`]/g, '\\$&')}"`;
