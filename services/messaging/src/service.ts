import type { messagingOperations } from '@mostrador/contracts';
import type { Handlers } from '@mostrador/kit/rpc-server';
import { getChannelConnection } from './channels/get-channel-connection.ts';
import type { Dependencies } from './dependencies.ts';

export const handlers = (dependencies: Dependencies): Handlers<typeof messagingOperations> => ({
  getChannelConnection: getChannelConnection(dependencies),
});
