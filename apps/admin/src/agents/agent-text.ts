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
    conditions: agent.condition_groups.map(groupText).join(' or ') || null,
  });

const groupText = ({ conditions }: Agent['condition_groups'][number]): string =>
  `(${conditions.map(({ condition_type, operator, value }) => `${condition_type} ${operator} ${value}`).join(' and ')})`;
