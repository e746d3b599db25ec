import { createRootRoute, createRoute, redirect } from '@tanstack/react-router';
import { isSignedOut } from '../api/failure.ts';
import { queries, sessionQuery } from '../api/queries.ts';
import { loadScreen } from '../new-version.ts';
import { LoadFailed } from '../ui/load-failed.tsx';
import { NotFound } from '../ui/not-found.tsx';

export const root = createRootRoute({ notFoundComponent: NotFound, errorComponent: LoadFailed });

/** Everything that needs a session, with the navigation beside it. */
export const shell = createRoute({
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
}).lazy(loadScreen(() => import('./shell.tsx')));
