import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';

export const keyRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/integrations/keys' }).lazy(() =>
    import('./keys.tsx').then(({ route }) => route),
  ),
] as const;
