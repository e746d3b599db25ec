import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileVariable, type Variable, variablesOf } from '../../packages/platform/src/environment.ts';
import { markdownTable } from './markdown-table.ts';

const isOf = (prefix: string) => (variable: Variable) => variable.name.startsWith(prefix);
const database = [...variablesOf('crm'), ...variablesOf('migrate')].filter(isOf('DATABASE_'));
const temporal = variablesOf('workflows').filter(isOf('TEMPORAL_'));
const traces = variablesOf('crm').filter(isOf('OTEL_'));
const everywhere = variablesOf('crm').filter((variable) => !database.includes(variable) && !traces.includes(variable));
const shared = new Set([...everywhere, ...database, ...temporal, ...traces].map(({ name }) => name));
const own = (program: Parameters<typeof variablesOf>[0], beside: readonly Variable[] = []) =>
  variablesOf(program).filter(({ name }) => !shared.has(name) && !beside.some((other) => other.name === name));

/** The tables of configuration.md by the name in their marker. */
const tables: Readonly<Record<string, readonly Variable[]>> = {
  admin: variablesOf('admin'),
  'every process': everywhere,
  PostgreSQL: database,
  Temporal: temporal,
  traces,
  gateway: own('gateway'),
  accounts: own('accounts'),
  scheduling: own('scheduling'),
  messaging: own('messaging', own('scheduling')),
  events: own('events'),
  assistant: own('assistant'),
  workflows: own('workflows'),
};

/** configuration.md with the table after each marker `<!-- variables of … -->` made from the description. */
export function configurationPage(): string {
  const page = readFileSync(join(import.meta.dirname, 'configuration.md'), 'utf8');
  return page.replace(/(<!-- variables of (.+) -->\n\n)(?:\|.*\n)+/g, (_, marker: string, name: string) => {
    const variables = tables[name];
    if (!variables) throw new Error(`configuration.md has a marker for ${name}, which has no table`);
    return `${marker}${markdownTable(['variable', 'default', 'meaning'], variables.map(row))}\n`;
  });
}

function row(variable: Variable): string[] {
  const { name, secret, required, description = '', choices = [] } = variable;
  const words = choices.map((choice) => `\`${choice}\``);
  const named = words.every((word) => description.includes(word));
  const meaning = named
    ? description
    : [description.replace(/\.$/, ''), words.join(', ')].filter(Boolean).join('. One of ');
  const file = secret ? `${meaning ? '. ' : ''}Secret: also \`${fileVariable(name)}\`` : '';
  const fallback = required ? 'required' : (variable.default ?? '');
  return [`\`${name}\``, variable.type === 'text' && variable.default ? `\`${fallback}\`` : fallback, meaning + file];
}
