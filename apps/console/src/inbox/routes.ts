import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';
import { readFilters } from './filters.ts';

const inbox = createRoute({ getParentRoute: () => shell, path: '/inbox', validateSearch: readFilters }).lazy(
  loadScreen(() => import('./inbox.tsx')),
);
const thread = createRoute({ getParentRoute: () => inbox, path: '$leadId' }).lazy(
  loadScreen(() => import('./thread.tsx')),
);

export const inboxRoutes = [inbox.addChildren([thread])] as const;
