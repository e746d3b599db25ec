import type { ApiKey, Scope } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';

type Area = Scope extends `${infer Name}:${string}` ? Name : never;

/** The words for each area. A scope of a new area fails the type check here. */
const areaNames: Record<Area, () => string> = {
  leads: m.area_leads,
  messages: m.area_messages,
  templates: m.area_templates,
  appointments: m.area_appointments,
  booking: m.area_booking,
  followups: m.area_followups,
  agents: m.area_agents,
  knowledge: m.area_knowledge,
  sellers: m.area_sellers,
  reports: m.area_reports,
  events: m.area_events,
  webhooks: m.area_webhooks,
  store: m.area_store,
};
const areas = Object.keys(areaNames) as Area[];

/** What tells a caller that the scope works, without changing anything. A new scope fails the type check here. */
const readPaths: Record<Scope, string | undefined> = {
  'store:read': '/store',
  'leads:read': '/leads?limit=5',
  'messages:read': '/messages?limit=5',
  'templates:read': '/templates?limit=5',
  'appointments:read': '/appointments?limit=5',
  'booking:read': '/services',
  'followups:read': '/followups/scheduled?limit=5',
  'agents:read': '/agents',
  'knowledge:read': '/knowledge/documents?limit=5',
  'sellers:read': '/sellers',
  'reports:read': '/reports/summary',
  'events:read': '/events?limit=5',
  'webhooks:read': '/webhooks',
  'leads:write': undefined,
  'messages:write': undefined,
  'appointments:write': undefined,
  'booking:write': undefined,
  'followups:write': undefined,
  'sellers:write': undefined,
  'agents:write': undefined,
  'knowledge:write': undefined,
  'webhooks:write': undefined,
};
export const allScopes = Object.keys(readPaths) as Scope[];
export const readScopes = allScopes.filter((scope) => scope.endsWith(':read'));

type AreaScopes = { readonly name: string; readonly read?: Scope; readonly write?: Scope };

/** The scopes as people choose them: by area. */
export const scopesByArea = (): AreaScopes[] =>
  areas.map((area) => ({
    name: areaNames[area](),
    read: allScopes.find((scope) => scope === `${area}:read`),
    write: allScopes.find((scope) => scope === `${area}:write`),
  }));

/** What a key may do, in a few words: `Everything`, `All reading`, or its areas. */
export function wordsOfScopes(scopes: ApiKey['scopes']): string[] {
  const has = (scope: Scope | undefined) => scope !== undefined && scopes.includes(scope);
  if (allScopes.every(has)) return [m.key_all()];
  if (scopes.length === readScopes.length && readScopes.every(has)) return [m.key_all_read()];
  return scopesByArea().flatMap(({ name, read, write }) => {
    const rights = [has(read) && m.key_read(), has(write) && m.key_write()].filter((each) => each !== false);
    return rights.length > 0 ? [`${name}: ${rights.join(', ').toLocaleLowerCase()}`] : [];
  });
}

/** A command that calls the API with the key and changes nothing; undefined when the key may only write. */
export function curlOf(origin: string, apiKey: string, scopes: readonly Scope[]): string | undefined {
  const path = allScopes.filter((scope) => scopes.includes(scope)).map((scope) => readPaths[scope])[0];
  return path && `curl '${origin}/integrations/v1${path}' \\\n  -H 'X-API-Key: ${apiKey}'`;
}
