import type { ModelRequest } from '../src/models/model.ts';

/** A request to a model, about prices. */
export const modelRequest = (more: Partial<ModelRequest> = {}): ModelRequest => ({
  agent: {
    ...{ name: 'Ana', language: null, disclosure: true, instructions: null, tone: null, handover_when: null },
  },
  ...{ locale: 'pt-BR', text: 'quanto custa o corte?', passages: [], conversation: [], tools: [], results: [] },
  ...{ now: '2026-11-27T12:00:00.000Z', timezone: 'UTC', isFirst: false },
  ...more,
});
