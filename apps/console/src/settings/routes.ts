import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';

export const settingRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/settings' }).lazy(loadScreen(() => import('./settings.tsx'))),
  createRoute({ getParentRoute: () => shell, path: '/settings/booking' }).lazy(
    loadScreen(() => import('../booking/booking.tsx')),
  ),
] as const;
