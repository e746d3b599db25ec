import { sh } from './shell.ts';

/** What an image says about how it runs, as every container engine reads it. */
export type ImageConfig = {
  readonly User?: string;
  readonly Env?: readonly string[];
  readonly Entrypoint?: readonly string[];
  readonly Cmd?: readonly string[];
  readonly WorkingDir?: string;
  readonly StopSignal?: string;
  readonly ExposedPorts?: Readonly<Record<string, object>>;
  readonly Labels?: Readonly<Record<string, string>>;
};

/** What the description of the platform and the build say about an image. */
export type Expected = {
  /** The ports that it exposes, and the variable of each. */
  readonly ports: readonly { readonly variable: string; readonly number: number }[];
  readonly version: string;
  readonly revision: string;
};

export async function configOf(image: string): Promise<ImageConfig> {
  const { OCIv1 } = JSON.parse(await sh('buildah', ['inspect', '--type', 'image', image])) as {
    OCIv1: { config: ImageConfig };
  };
  return OCIv1.config;
}

/** The variables of an image by name. */
export const environmentOf = ({ Env = [] }: ImageConfig): Record<string, string> =>
  Object.fromEntries(Env.map((entry) => [entry.slice(0, entry.indexOf('=')), entry.slice(entry.indexOf('=') + 1)]));

/** What is wrong with the configuration of an image. */
export function configFaults(config: ImageConfig, { ports, version, revision }: Expected): string[] {
  const label = (name: string) => config.Labels?.[`org.opencontainers.image.${name}`];
  const [user] = config.User?.split(':') ?? [];
  const exposed = Object.keys(config.ExposedPorts ?? {})
    .sort()
    .join();
  const environment = environmentOf(config);
  const rules: readonly (readonly [boolean, string])[] = [
    [/^[1-9]\d*$/.test(user ?? ''), `its user is ${config.User || 'root'}, and must be a number other than 0`],
    [config.StopSignal === 'SIGTERM', `its stop signal is ${config.StopSignal}`],
    [exposed === ports.map(({ number }) => `${number}/tcp`).join(), `it exposes ${exposed || 'no port'}`],
    ...ports.map(
      ({ variable, number }) => [environment[variable] === `${number}`, `it has no ${variable}=${number}`] as const,
    ),
    [label('version') === version, `its label says version ${label('version')}`],
    [label('revision') === revision, `its label says revision ${label('revision')}`],
    [environment.HTTP_HOST === '0.0.0.0' && environment.HEALTH_HOST === '0.0.0.0', 'it listens to itself only'],
  ];
  return rules.filter(([holds]) => !holds).map(([, fault]) => fault);
}
