import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';

export const connectionRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/integrations/connections' }).lazy(
    loadScreen(() => import('./connections.tsx')),
  ),
] as const;
