import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';

export const accountRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/account/sessions' }).lazy(
    loadScreen(() => import('./sessions.tsx')),
  ),
  createRoute({ getParentRoute: () => shell, path: '/account/security' }).lazy(
    loadScreen(() => import('./security.tsx')),
  ),
  createRoute({ getParentRoute: () => shell, path: '/account/join' }).lazy(loadScreen(() => import('./join.tsx'))),
] as const;
