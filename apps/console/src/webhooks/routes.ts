import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';
import { readEndpointSearch } from './endpoint-search.ts';

export const webhookRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/integrations/webhooks' }).lazy(() =>
    import('./webhooks.tsx').then(({ route }) => route),
  ),
  createRoute({
    getParentRoute: () => shell,
    path: '/integrations/webhooks/$endpointId',
    validateSearch: readEndpointSearch,
  }).lazy(() => import('./endpoint.tsx').then(({ route }) => route)),
] as const;
