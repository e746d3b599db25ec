import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';

export const settingRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/settings' }).lazy(() =>
    import('./settings.tsx').then(({ route }) => route),
  ),
] as const;
