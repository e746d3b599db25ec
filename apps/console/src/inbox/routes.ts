import { createRoute } from '@tanstack/react-router';
import { shell } from '../shell/routes.ts';
import { readFilters } from './filters.ts';

const inbox = createRoute({ getParentRoute: () => shell, path: '/inbox', validateSearch: readFilters }).lazy(() =>
  import('./inbox.tsx').then(({ route }) => route),
);
const thread = createRoute({ getParentRoute: () => inbox, path: '$leadId' }).lazy(() =>
  import('./thread.tsx').then(({ route }) => route),
);

export const inboxRoutes = [inbox.addChildren([thread])] as const;
