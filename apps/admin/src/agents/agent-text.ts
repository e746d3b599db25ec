import type { Agent } from '@mostrador/contracts';
import { record, shown } from '../terminal.ts';

/** An agent as a person reads it. */
export const agentRecord = (agent: Agent): string =>
  record({
    id: agent.id,
    name: shown(agent.name),
    model: agent.model,
    priority: agent.priority,
    active: agent.is_active ? 'yes' : 'no',
    default: agent.is_default ? 'yes' : 'no',
    voice: agent.voice_id === null ? null : shown(agent.voice_id),
    'audio replies': agent.audio_response_enabled ? 'yes' : 'no',
    version: agent.version,
    tone: agent.tone === null ? null : shown(agent.tone),
    language: agent.language,
    'says that it is an AI': agent.disclosure ? 'yes' : 'no',
    'hands over when': agent.handover_when === null ? null : shown(agent.handover_when),
    'may use': agent.tools.join(', ') || 'nothing',
    instructions: agent.instructions === null ? null : shown(agent.instructions),
    conditions: agent.condition_groups.map(groupText).join(' or ') || null,
  });

type Condition = Agent['condition_groups'][number]['conditions'][number];

const groupText = ({ conditions }: Agent['condition_groups'][number]): string =>
  `(${conditions.map(conditionText).join(' and ')})`;

function conditionText({ condition_type, operator, value, hours, timezone }: Condition): string {
  const text = `${condition_type} ${operator} ${shown(value)}`;
  if (!hours) return text;
  const days = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const week = hours.map(({ weekday, from, to }) => `${days[weekday - 1]} ${from}-${to}`);
  return `${text} [${[...week, ...(timezone === undefined ? [] : [timezone])].join(', ')}]`;
}
