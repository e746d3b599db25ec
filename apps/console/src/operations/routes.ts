import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';
import { readOperationsSearch } from './operations-search.ts';

export const operationRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/operations', validateSearch: readOperationsSearch }).lazy(() =>
    import('./operations.tsx').then(({ route }) => route),
  ),
] as const;
