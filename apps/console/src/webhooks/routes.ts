import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';
import { readEndpointSearch } from './endpoint-search.ts';

export const webhookRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/integrations/webhooks' }).lazy(
    loadScreen(() => import('./webhooks.tsx')),
  ),
  createRoute({
    getParentRoute: () => shell,
    path: '/integrations/webhooks/$endpointId',
    validateSearch: readEndpointSearch,
  }).lazy(loadScreen(() => import('./endpoint.tsx'))),
] as const;
