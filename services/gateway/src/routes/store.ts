import { getStore } from '@mostrador/contracts';
import { get, type Route, route } from './route.ts';

export const storeRoutes: readonly Route[] = [route(get('/store'), getStore, { tag: 'Store', scope: 'store:read' })];
