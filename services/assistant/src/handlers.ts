import type { assistantOperations } from '@mostrador/contracts';
import type { Handlers } from '@mostrador/kit/rpc/server';
import type { Dependencies } from './dependencies.ts';
import { connectModel } from './models/connect-model.ts';
import { disconnectModel } from './models/disconnect-model.ts';
import { showModel } from './models/show-model.ts';
import { updateSettings } from './settings/update-settings.ts';
import { advanceTurn } from './turns/advance-turn.ts';
import { explainMessage } from './turns/explain-message.ts';

export const createHandlers = (dependencies: Dependencies): Handlers<typeof assistantOperations> => ({
  explainMessage: explainMessage(dependencies),
  advanceTurn: advanceTurn(dependencies),
  updateAssistantSettings: updateSettings(dependencies),
  connectModel: connectModel(dependencies),
  showModel: showModel(dependencies),
  disconnectModel: disconnectModel(dependencies),
});
