import { createRoute, redirect } from '@tanstack/react-router';
import { Failure } from '../api/failure.ts';
import { dataOf, platform } from '../api/platform.ts';
import { enter } from '../api/session.ts';
import { root } from '../shell/routes.ts';

export const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: ({ ended }: { ended?: unknown }): { ended?: true } => (ended ? { ended: true } : {}),
  // The token stands behind the `#`, so that neither a server nor a log sees it.
  loader: async ({ location }): Promise<{ failure?: Failure }> => {
    const token = location.hash;
    if (!token) return {};
    try {
      enter(await dataOf(platform.POST('/session', { body: { token } })));
    } catch (failure) {
      if (failure instanceof Failure) return { failure };
      throw failure;
    }
    throw redirect({ to: '/', replace: true });
  },
}).lazy(() => import('./login.tsx').then(({ route }) => route));
