import type { assistantOperations } from '@mostrador/contracts';
import { secretHandlers } from '@mostrador/kit/clients/reseal';
import type { Handlers } from '@mostrador/kit/rpc/server';
import { waitingHandlers } from '@mostrador/kit/step/waiting';
import type { Dependencies } from './dependencies.ts';
import { connectEmbedder } from './embedder/connect-embedder.ts';
import { disconnectEmbedder } from './embedder/disconnect-embedder.ts';
import { embedTexts } from './embedder/embed-texts.ts';
import { showEmbedder } from './embedder/show-embedder.ts';
import { createAgentEval } from './evals/create-agent-eval.ts';
import { deleteAgentEval } from './evals/delete-agent-eval.ts';
import { listAgentEvals } from './evals/list-agent-evals.ts';
import { runAgentEvals } from './evals/run-agent-evals.ts';
import { updateAgentEval } from './evals/update-agent-eval.ts';
import { connectModel } from './models/connect-model.ts';
import { connectStoreModel } from './models/connect-store-model.ts';
import { sealedConnections } from './models/credentials.ts';
import { disconnectModels } from './models/disconnect-models.ts';
import { disconnectStoreModel } from './models/disconnect-store-model.ts';
import { getStoreAi } from './models/get-store-ai.ts';
import { getAiUsage } from './models/get-usage.ts';
import { showModels } from './models/show-models.ts';
import { switchStoreAi } from './models/switch-store-ai.ts';
import { replayConversation } from './replay/replay-conversation.ts';
import { fenceTurns } from './restore/fence-turns.ts';
import { updateSettings } from './settings/update-settings.ts';
import { advanceTurn } from './turns/advance-turn.ts';
import { decideEffects } from './turns/decide-effects.ts';
import { explainMessage } from './turns/explain-message.ts';
import { listDecisions } from './turns/list-decisions.ts';
import { waitingTurns } from './turns/waiting-turns.ts';

export const createHandlers = (dependencies: Dependencies): Handlers<typeof assistantOperations> => {
  const secrets = secretHandlers(sealedConnections, dependencies);
  const { operator: waiting } = waitingHandlers({}, dependencies, { ai_turn: waitingTurns });
  return {
    getAiUsage: getAiUsage(dependencies),
    explainMessage: explainMessage(dependencies),
    decideEffects: decideEffects(dependencies),
    listDecisions: listDecisions(dependencies),
    replayConversation: replayConversation(dependencies),
    listAgentEvals: listAgentEvals(dependencies),
    createAgentEval: createAgentEval(dependencies),
    updateAgentEval: updateAgentEval(dependencies),
    deleteAgentEval: deleteAgentEval(dependencies),
    runAgentEvals: runAgentEvals(dependencies),
    advanceTurn: advanceTurn(dependencies),
    updateAssistantSettings: updateSettings(dependencies),
    connectModel: connectModel(dependencies),
    showModels: showModels(dependencies),
    disconnectModels: disconnectModels(dependencies),
    connectEmbedder: connectEmbedder(dependencies),
    showEmbedder: showEmbedder(dependencies),
    disconnectEmbedder: disconnectEmbedder(dependencies),
    embedTexts: embedTexts(dependencies),
    getStoreAi: getStoreAi(dependencies),
    switchStoreAi: switchStoreAi(dependencies),
    connectStoreModel: connectStoreModel(dependencies),
    disconnectStoreModel: disconnectStoreModel(dependencies),
    countAssistantSecrets: secrets.count,
    resealAssistantSecrets: secrets.reseal,
    fenceTurns: fenceTurns(dependencies),
    listAssistantWaitingStores: waiting.stores,
    listOperatorAssistant: waiting.list,
    retryOperatorAssistant: waiting.retry,
    giveUpOperatorAssistant: waiting.giveUp,
  };
};
