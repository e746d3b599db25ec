import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';

export const accountRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/account/sessions' }).lazy(() =>
    import('./sessions.tsx').then(({ route }) => route),
  ),
  createRoute({ getParentRoute: () => shell, path: '/account/security' }).lazy(() =>
    import('./security.tsx').then(({ route }) => route),
  ),
] as const;
