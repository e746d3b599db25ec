import { explainMessage } from '@mostrador/contracts';
import { document, reception } from './agents.ts';
import { type ExampleOfOperation, example } from './example.ts';
import { ids } from './optician.ts';

export const assistantExamples: readonly ExampleOfOperation[] = [
  example(
    explainMessage,
    { params: { leadId: ids.lead, messageId: ids.reply } },
    {
      message_id: ids.reply,
      outcome: 'sent',
      handover_reason: null,
      agent_id: ids.agent,
      agent_name: reception.name,
      agent_reason: 'conditions_hold',
      passages: [{ document_id: ids.document, title: document.title, used: true }],
      tools: [],
      model: 'demo',
      latency_ms: 3,
      answered_from: '2026-01-12T13:02:11.482Z',
      answered_to: '2026-01-12T13:02:14.106Z',
    },
  ),
];
