import {
  fileVariable,
  hostVariables,
  nodeVariables,
  portsOf,
  type Variable,
  variablesOf,
} from '../../packages/platform/src/environment.ts';
import { type ProcessName, processNames, runtimeEnvironment } from '../../packages/platform/src/processes.ts';

/** What required variables have in the examples. */
const examples: Readonly<Record<string, string>> = {
  PUBLIC_URL: 'https://mostrador.example.com',
  TEMPORAL_ADDRESS: 'temporal.example.com:7233',
};

const head = (purpose: string): string => `# ${purpose}
# Written by \`node_modules/.bin/node tools/platform/write.ts\` from the configuration schemas. Copy it, and change the copy.
# A line that begins with # has no effect: it shows the default, or nothing where there is none.
`;

/** The gateway last, because it reads some variables only for its links. */
const byUse = processNames.toSorted((a, b) => Number(a === 'gateway') - Number(b === 'gateway'));
const readersOf = (name: string): ProcessName[] =>
  processNames.filter((process) => variablesOf(process).some((variable) => variable.name === name));
/** Addresses and ports differ from process to process. */
const listens = (name: string): boolean =>
  processNames.some(
    (process) => hostVariables(process).includes(name) || portsOf(process).some(({ variable }) => variable === name),
  );

/** What several processes read with the same value: neither secrets nor ports. */
const common: readonly Variable[] = byUse
  .flatMap((process) => variablesOf(process))
  .filter(({ name, secret }) => !secret && !listens(name) && readersOf(name).length > 1)
  .filter(({ name }, index, all) => all.findIndex((variable) => variable.name === name) === index);

/** The examples in `infra/env`: one for what processes share, one for each process. */
export const envFiles = (): Record<string, string> => ({
  'infra/env/common.env.example': commonFile(),
  ...Object.fromEntries(processNames.map((process) => [`infra/env/${process}.env.example`, processFile(process)])),
});

function commonFile(): string {
  const runtime = Object.entries(runtimeEnvironment).map(([name, value]) => `${name}=${value}\n`);
  return [
    head('What several processes read. A line in the file of one process counts more than the line here.'),
    ...nodeVariables.map((variable) => block(variable, 'every process')),
    `# Memory: without these, each thread of V8 keeps some of its own, and large blocks leave holes.\n${runtime.join('')}`,
    ...common.map((variable) => block(variable, readersText(variable.name))),
  ].join('\n');
}

function processFile(process: ProcessName): string {
  const portOf = (name: string) => portsOf(process).find(({ variable }) => variable === name)?.number;
  const own = variablesOf(process).filter(({ name }) => !common.some((variable) => variable.name === name));
  return [
    head(`What ${process} reads beside common.env.`),
    ...own.map((variable) => block(variable, undefined, portOf(variable.name)?.toString())),
  ].join('\n');
}

function readersText(name: string): string {
  const readers = readersOf(name);
  return readers.length === processNames.length ? 'every process' : readers.join(', ');
}

function block(variable: Variable, readers?: string, value = examples[variable.name] ?? ''): string {
  const { name, description, required, secret, choices } = variable;
  const about = [
    ...(description ? [`${description.replace(/\.$/, '')}.`] : []),
    ...(choices?.some((choice) => !description?.includes(`\`${choice}\``)) ? [`One of: ${choices.join(', ')}.`] : []),
    ...(required ? ['Required.'] : []),
    ...(secret ? [required ? `Secret: compose and systemd set ${fileVariable(name)}.` : 'Secret.'] : []),
    ...(readers ? [`Read by ${readers}.`] : []),
  ].join(' ');
  if (secret) return `# ${about}\n#${fileVariable(name)}=\n`;
  const set = required || value !== '';
  if (set && value === '') throw new Error(`${name} is required and has no example in tools/platform/env-files.ts`);
  return `# ${about}\n${set ? '' : '#'}${name}=${value || (variable.default ?? '')}\n`;
}
