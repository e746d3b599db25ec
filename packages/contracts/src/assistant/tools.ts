import { type Static, Type } from '@sinclair/typebox';
import { OneOf } from '../core/common.ts';

/** The tools that change something. */
export const effectNames = ['book', 'move', 'cancel', 'schedule_followup', 'update_lead'] as const;
export type EffectName = (typeof effectNames)[number];

/** What a model can ask for. Each is an operation of the service that owns the data, with values from the database. */
export const toolNames = ['find_times', ...effectNames] as const;
export type ToolName = (typeof toolNames)[number];

export const changesSomething = (tool: string): tool is EffectName => effectNames.some((name) => name === tool);

const meanings =
  '`book`, `move`, `cancel`: an appointment of the customer who writes. `schedule_followup`: a message to them some days later. ' +
  '`update_lead`: their name and status.';

/** The tools of an agent. */
export const ToolNames = Type.Array(
  OneOf(toolNames, {
    title: 'ToolName',
    description: `What an agent may use. \`find_times\`: it offers free times. ${meanings}`,
  }),
  {
    uniqueItems: true,
    maxItems: toolNames.length,
    description: 'What the agent may use. With an empty list it only answers, and hands over.',
  },
);

/** The effects that a person confirms. */
export const EffectNames = Type.Array(
  OneOf(effectNames, { title: 'EffectName', description: `An effect of an agent. ${meanings}` }),
  {
    uniqueItems: true,
    maxItems: effectNames.length,
    description: 'The effects that a person of the store confirms before they are made. Empty: none.',
  },
);
export type EffectNames = Static<typeof EffectNames>;
