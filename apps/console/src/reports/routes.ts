import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';
import { readReportSearch } from './report-search.ts';

export const reportRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/reports', validateSearch: readReportSearch }).lazy(() =>
    import('./reports.tsx').then(({ route }) => route),
  ),
] as const;
