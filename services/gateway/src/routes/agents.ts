import { getAgent, listAgents, selectAgent } from '@mostrador/contracts';
import { get, post, type Route, route } from './route.ts';

const read = { tag: 'Agents', scope: 'agents:read' } as const;

export const agentRoutes: readonly Route[] = [
  route(get('/agents'), listAgents, read),
  route(get('/agents/:agentId'), getAgent, read),
  // A POST because it has a body. It changes nothing.
  route(post('/agents/select'), selectAgent, read),
];
