import { connectModel, disconnectModel, showModel } from './models.ts';
import { updateAssistantSettings } from './settings.ts';
import { advanceTurn, explainMessage } from './turns.ts';

export const assistantOperations = {
  explainMessage,
  advanceTurn,
  updateAssistantSettings,
  connectModel,
  showModel,
  disconnectModel,
} as const;
