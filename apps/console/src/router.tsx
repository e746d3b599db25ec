import { createRootRoute, createRoute, createRouter, redirect } from '@tanstack/react-router';
import { Failure, isSignedOut } from './api/failure.ts';
import { dataOf, platform } from './api/platform.ts';
import { onSignedOut, queries, sessionQuery } from './api/queries.ts';
import { LoadFailed } from './ui/load-failed.tsx';
import { NotFound } from './ui/not-found.tsx';

const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: LoadFailed });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: ({ ended }: { ended?: unknown }): { ended?: true } => (ended ? { ended: true } : {}),
  // The token stands behind the `#`, so that neither a server nor a log sees it.
  loader: async ({ location }): Promise<{ failure?: Failure }> => {
    const token = location.hash;
    if (!token) return {};
    try {
      const session = await dataOf(platform.POST('/session', { body: { token } }));
      queries.clear();
      queries.setQueryData(sessionQuery.queryKey, session);
    } catch (failure) {
      if (failure instanceof Failure) return { failure };
      throw failure;
    }
    throw redirect({ to: '/', replace: true });
  },
}).lazy(() => import('./login/login.tsx').then(({ route }) => route));

const shell = createRoute({
  getParentRoute: () => root,
  id: 'shell',
  beforeLoad: async () => {
    try {
      await queries.ensureQueryData(sessionQuery);
    } catch (error) {
      if (isSignedOut(error)) throw redirect({ to: '/login', replace: true });
      throw error;
    }
  },
}).lazy(() => import('./shell/shell.tsx').then(({ route }) => route));

const start = createRoute({
  getParentRoute: () => shell,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/integrations/keys', replace: true });
  },
});

const keys = createRoute({ getParentRoute: () => shell, path: '/integrations/keys' }).lazy(() =>
  import('./keys/keys.tsx').then(({ route }) => route),
);

const sessions = createRoute({ getParentRoute: () => shell, path: '/account/sessions' }).lazy(() =>
  import('./account/sessions.tsx').then(({ route }) => route),
);

export const router = createRouter({
  routeTree: root.addChildren([login, shell.addChildren([start, keys, sessions])]),
  basepath: '/console',
  defaultPreload: 'intent',
  scrollRestoration: true,
});

onSignedOut(() => {
  if (router.state.location.pathname === '/login') return;
  queries.clear();
  void router.navigate({ to: '/login', search: { ended: true }, replace: true });
});

declare module '@tanstack/react-router' {
  // biome-ignore lint/style/useConsistentTypeDefinitions: only an interface merges with the library's
  interface Register {
    router: typeof router;
  }
}
