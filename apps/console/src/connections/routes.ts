import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';

export const connectionRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/integrations/connections' }).lazy(() =>
    import('./connections.tsx').then(({ route }) => route),
  ),
] as const;
