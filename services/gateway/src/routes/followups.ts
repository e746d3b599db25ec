import { cancelFollowup, createFollowup, getFollowup, listFollowups, updateFollowup } from '@mostrador/contracts';
import { del, get, patch, post, type Route, route } from './route.ts';

const read = { tag: 'Follow-ups', scope: 'followups:read' } as const;
const write = { tag: 'Follow-ups', scope: 'followups:write' } as const;

export const followupRoutes: readonly Route[] = [
  route(post('/followups/scheduled'), createFollowup, { ...write, status: 201, versioned: true }),
  route(get('/followups/scheduled'), listFollowups, read),
  route(get('/followups/scheduled/:followupId'), getFollowup, { ...read, versioned: true }),
  route(patch('/followups/scheduled/:followupId'), updateFollowup, { ...write, versioned: true }),
  route(del('/followups/scheduled/:followupId'), cancelFollowup, { ...write, versioned: true }),
];
