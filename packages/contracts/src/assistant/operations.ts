import {
  giveUpOperatorAssistant,
  listAssistantWaitingStores,
  listOperatorAssistant,
  retryOperatorAssistant,
} from '../operator-waiting.ts';
import { countAssistantSecrets, resealAssistantSecrets } from '../secrets.ts';
import { connectEmbedder, disconnectEmbedder, embedTexts, showEmbedder } from './embedder.ts';
import { createAgentEval, deleteAgentEval, listAgentEvals, runAgentEvals, updateAgentEval } from './evals.ts';
import {
  connectModel,
  connectStoreModel,
  disconnectModels,
  disconnectStoreModel,
  getStoreAi,
  showModels,
  switchStoreAi,
} from './models.ts';
import { replayConversation } from './replay.ts';
import { fenceTurns } from './restore.ts';
import { updateAssistantSettings } from './settings.ts';
import { advanceTurn, decideEffects, explainMessage, listDecisions } from './turns.ts';
import { getAiUsage } from './usage.ts';

export const assistantOperations = {
  explainMessage,
  decideEffects,
  listDecisions,
  advanceTurn,
  getAiUsage,
  replayConversation,
  listAgentEvals,
  createAgentEval,
  updateAgentEval,
  deleteAgentEval,
  runAgentEvals,
  updateAssistantSettings,
  connectModel,
  showModels,
  disconnectModels,
  connectEmbedder,
  showEmbedder,
  disconnectEmbedder,
  embedTexts,
  getStoreAi,
  switchStoreAi,
  connectStoreModel,
  disconnectStoreModel,
  countAssistantSecrets,
  resealAssistantSecrets,
  fenceTurns,
  listAssistantWaitingStores,
  listOperatorAssistant,
  retryOperatorAssistant,
  giveUpOperatorAssistant,
} as const;
