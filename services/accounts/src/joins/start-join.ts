import type { startJoin as operation } from '@mostrador/contracts';
import type { Handler } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { askForPasskey } from '../passkeys/ask-for-passkey.ts';
import { requireSession } from '../sessions/session.ts';

/** The challenge belongs to the session, so no answer to a sign-in joins a store. */
export const startJoin =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { id } = await requireSession(dependencies.systemDatabase, context);
    return await askForPasskey(dependencies, context, id);
  };
