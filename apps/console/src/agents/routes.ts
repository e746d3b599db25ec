import { createRoute } from '@tanstack/react-router';
import { loadScreen } from '../new-version.ts';
import { shell } from '../shell/routes.ts';

export type AgentsSearch = { readonly agent?: string; readonly lead?: string };

/** What stands behind the `?` of the address: the open agent, and the lead for whom the choice is explained. */
const readAgentsSearch = ({ agent, lead }: Record<string, unknown>): AgentsSearch => ({
  ...(typeof agent === 'string' ? { agent } : {}),
  ...(typeof lead === 'string' ? { lead } : {}),
});

export const agentRoutes = [
  createRoute({ getParentRoute: () => shell, path: '/agents', validateSearch: readAgentsSearch }).lazy(
    loadScreen(() => import('./agents.tsx')),
  ),
] as const;
