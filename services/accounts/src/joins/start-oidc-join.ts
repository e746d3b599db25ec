import type { startOidcJoin as operation } from '@mostrador/contracts';
import { type Handler, later } from '@mostrador/kit/rpc/server';
import type { Dependencies } from '../dependencies.ts';
import { startAttempt } from '../oidc/start-attempt.ts';
import { requireSession } from '../sessions/session.ts';

/** The provider asks for the account again: that the browser is signed in there proves nothing. */
export const startOidcJoin =
  (dependencies: Dependencies): Handler<typeof operation> =>
  async (context) => {
    const { id } = await requireSession(dependencies.systemDatabase, context);
    return later(() => startAttempt(dependencies, context, id));
  };
