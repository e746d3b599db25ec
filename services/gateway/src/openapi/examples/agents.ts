import {
  type Agent,
  createAgent,
  getAgent,
  getDocument,
  importDocument,
  type KnowledgeDocument,
  listAgents,
  listAgentVersions,
  listDocuments,
  searchKnowledge,
  selectAgent,
  updateAgent,
} from '@mostrador/contracts';
import { type ExampleOfOperation, example, listOf } from './example.ts';
import { ids } from './optician.ts';

const times = { created_at: '2026-01-05T12:00:00.000Z', updated_at: '2026-01-05T12:00:00.000Z' };
const condition = {
  id: ids.condition,
  condition_type: 'lead_status',
  operator: '=',
  value: 'in_progress',
};
export const reception: Agent = {
  id: ids.agent,
  name: 'Recepção',
  model: 'auto',
  priority: 10,
  is_active: true,
  is_default: false,
  voice_id: null,
  audio_response_enabled: false,
  instructions: 'Você cuida da recepção da ótica. Marque exames de vista e responda sobre preços e horários.',
  tone: 'simpático e breve',
  language: 'pt-BR',
  disclosure: true,
  handover_when: 'O cliente reclama, ou pede para falar com uma pessoa.',
  tools: ['find_times', 'book', 'move', 'cancel'],
  version: 2,
  condition_groups: [{ id: ids.group, group_index: 0, logical_operator: 'AND', conditions: [condition] }],
  ...times,
};
const { instructions, tone, language, disclosure, handover_when } = reception;
const told = { instructions, tone, language, disclosure, handover_when };
const fallback: Agent = {
  ...reception,
  id: ids.defaultAgent,
  name: 'Atendimento geral',
  priority: 90,
  is_default: true,
  condition_groups: [],
};
const held = {
  id: ids.group,
  group_index: 0,
  holds: true,
  conditions: [{ ...condition, actual: 'in_progress', holds: true }],
};
const text = 'O exame de vista dura 45 minutos e custa R$ 120. Traga a receita anterior, se tiver.';
export const document: KnowledgeDocument = {
  id: ids.document,
  name: 'precos.md',
  title: 'Exames e preços',
  content: `# Exames e preços\n\n${text}`,
  is_active: true,
  created_at: times.created_at,
};

export const agentExamples: readonly ExampleOfOperation[] = [
  example(listAgents, { query: {} }, listOf([reception, fallback])),
  example(getAgent, { params: { agentId: ids.agent } }, reception),
  example(
    createAgent,
    {
      body: {
        name: reception.name,
        priority: reception.priority,
        ...told,
        condition_groups: [
          { group_index: 0, conditions: [{ condition_type: 'lead_status', operator: '=', value: 'in_progress' }] },
        ],
      },
    },
    reception,
  ),
  example(
    listAgentVersions,
    { params: { agentId: ids.agent }, query: {} },
    listOf([
      { ...told, version: 2, replaced_at: null },
      { ...told, version: 1, tone: null, replaced_at: '2026-01-05T12:00:00.000Z' },
    ]),
  ),
  example(updateAgent, { params: { agentId: ids.agent }, body: { priority: reception.priority } }, reception),
  example(
    importDocument,
    { body: { name: 'precos.md', title: document.title, content: document.content } },
    { result: 'created', id: document.id, title: document.title, is_active: true, passages: 1 },
  ),
  example(
    selectAgent,
    { body: { lead_id: ids.lead } },
    {
      agent: reception,
      reason: 'conditions_hold',
      condition_group: held,
      considered: [
        {
          agent_id: ids.agent,
          name: reception.name,
          priority: reception.priority,
          is_default: false,
          outcome: 'selected',
          failed_condition: null,
          condition_groups: [held],
        },
        {
          agent_id: ids.defaultAgent,
          name: fallback.name,
          priority: fallback.priority,
          is_default: true,
          outcome: 'no_groups',
          failed_condition: null,
          condition_groups: [],
        },
      ],
    },
  ),
  example(listDocuments, { query: {} }, listOf([document], 20)),
  example(getDocument, { params: { documentId: ids.document } }, document),
  example(
    searchKnowledge,
    { query: { q: 'quanto custa o exame' } },
    {
      data: [
        {
          document: { id: ids.document, title: document.title },
          text,
          highlight: text.replace('exame', '<mark>exame</mark>').replace('custa', '<mark>custa</mark>'),
          score: 0.87,
          ranks: { full_text: 1, vectors: null },
        },
      ],
      vectors: 'not_used',
    },
  ),
];
