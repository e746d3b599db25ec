import { createRoute, redirect } from '@tanstack/react-router';
import { Failure } from '../api/failure.ts';
import { dataOf, platform } from '../api/platform.ts';
import { enter } from '../api/session.ts';
import { loadScreen } from '../new-version.ts';
import { root } from '../shell/routes.ts';

type LoginSearch = {
  readonly ended?: true;
  /** The code of what went wrong on the way back from the OpenID provider. */
  readonly failed?: string;
};

/** The name of the provider with which people may sign in here. Without an answer the other ways are still there. */
const providerName = async (): Promise<string | undefined> =>
  (await dataOf(platform.GET('/sign-in')).catch(() => undefined))?.oidc?.name;

export const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: ({ ended, failed }: { ended?: unknown; failed?: unknown }): LoginSearch => ({
    ...(ended ? { ended: true } : {}),
    ...(typeof failed === 'string' ? { failed } : {}),
  }),
  // The token stands behind the `#`, so that neither a server nor a log sees it.
  loader: async ({ location }): Promise<{ failure?: Failure; provider?: string | undefined }> => {
    const token = location.hash;
    if (!token) return { provider: await providerName() };
    try {
      enter(await dataOf(platform.POST('/session', { body: { token } })));
    } catch (failure) {
      if (failure instanceof Failure) return { failure, provider: await providerName() };
      throw failure;
    }
    throw redirect({ to: '/', replace: true });
  },
}).lazy(loadScreen(() => import('./login.tsx')));
