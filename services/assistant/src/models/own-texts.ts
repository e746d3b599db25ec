import type { ModelRequest } from './model.ts';

/** The texts of the store that a model was given: passages of its documents, and the instructions of the agent. Pure. */
export const ownTexts = ({ passages, agent }: Pick<ModelRequest, 'passages' | 'agent'>): string[] => [
  ...passages.map(({ text }) => text),
  ...(agent.instructions ? [agent.instructions] : []),
];
