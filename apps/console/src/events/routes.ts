import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';
import { readEventSearch } from './event-search.ts';

export const eventRoutes = [
  createRoute({
    getParentRoute: () => shell,
    path: '/integrations/events',
    validateSearch: readEventSearch,
  }).lazy(() => import('./events.tsx').then(({ route }) => route)),
] as const;
