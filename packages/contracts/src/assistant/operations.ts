import { countAssistantSecrets, resealAssistantSecrets } from '../secrets.ts';
import { connectModel, disconnectModels, showModels } from './models.ts';
import { updateAssistantSettings } from './settings.ts';
import { advanceTurn, explainMessage } from './turns.ts';
import { getAiUsage } from './usage.ts';

export const assistantOperations = {
  explainMessage,
  advanceTurn,
  getAiUsage,
  updateAssistantSettings,
  connectModel,
  showModels,
  disconnectModels,
  countAssistantSecrets,
  resealAssistantSecrets,
} as const;
