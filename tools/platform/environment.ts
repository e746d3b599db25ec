import { adminConfig } from '../../apps/admin/src/config.ts';
import { migrateConfig } from '../../packages/kit/src/process/config.ts';
import type { ProgramName, Variable } from '../../packages/platform/src/environment.ts';
import { accountsConfig } from '../../services/accounts/src/config.ts';
import { assistantConfig } from '../../services/assistant/src/config.ts';
import { crmConfig } from '../../services/crm/src/config.ts';
import { eventsConfig } from '../../services/events/src/config.ts';
import { gatewayConfig } from '../../services/gateway/src/config.ts';
import { messagingConfig } from '../../services/messaging/src/config.ts';
import { schedulingConfig } from '../../services/scheduling/src/config.ts';
import { workflowsConfig } from '../../workflows/src/config.ts';

type Member = {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly secret?: boolean;
  readonly file?: boolean;
  readonly ofBuild?: boolean;
};
type Config = { readonly properties: Readonly<Record<string, Member>>; readonly required?: readonly string[] };

/** The configuration schema of every program. */
export const configs: Readonly<Record<ProgramName, Config>> = {
  gateway: gatewayConfig,
  accounts: accountsConfig,
  crm: crmConfig,
  scheduling: schedulingConfig,
  messaging: messagingConfig,
  events: eventsConfig,
  assistant: assistantConfig,
  workflows: workflowsConfig,
  migrate: migrateConfig,
  admin: adminConfig,
};

/** The content of `environment.json`. */
export const environment = (): Record<ProgramName, Variable[]> =>
  Object.fromEntries(Object.entries(configs).map(([program, config]) => [program, variablesOf(config)])) as Record<
    ProgramName,
    Variable[]
  >;

const typeOf = ({ type }: Member): Variable['type'] =>
  type === 'integer' || type === 'number' || type === 'boolean' ? type : 'text';

const variablesOf = ({ properties, required = [] }: Config): Variable[] =>
  Object.entries(properties).map(([name, member]) => ({
    name,
    ...(member.description !== undefined && { description: member.description }),
    type: typeOf(member),
    required: required.includes(name) && member.default === undefined,
    ...(member.default !== undefined && { default: String(member.default) }),
    ...(member.enum && { choices: member.enum.map(String) }),
    ...(member.minimum !== undefined && { minimum: member.minimum }),
    ...(member.maximum !== undefined && { maximum: member.maximum }),
    ...(member.secret && { secret: true }),
    ...(member.file && { file: true }),
    ...(member.ofBuild && { ofBuild: true }),
  }));
