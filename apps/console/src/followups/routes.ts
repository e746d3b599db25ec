import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';
import { readFollowupSearch } from './followup-state.ts';

export const followupRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/follow-ups', validateSearch: readFollowupSearch }).lazy(() =>
    import('./followups.tsx').then(({ pending }) => pending),
  ),
  createRoute({ getParentRoute: () => shell, path: '/follow-ups/$state', validateSearch: readFollowupSearch }).lazy(
    () => import('./followups.tsx').then(({ others }) => others),
  ),
] as const;
