import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';

export const keyRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/integrations/keys' }).lazy(loadScreen(() => import('./keys.tsx'))),
] as const;
