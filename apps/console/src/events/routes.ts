import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';
import { readEventSearch } from './event-search.ts';

export const eventRoutes = [
  createRoute({
    getParentRoute: () => shell,
    path: '/integrations/events',
    validateSearch: readEventSearch,
  }).lazy(loadScreen(() => import('./events.tsx'))),
] as const;
