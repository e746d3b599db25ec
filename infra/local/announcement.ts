import { randomUUID } from 'node:crypto';
import type { Ports } from '@mostrador/local-platform/ports';
import type { ServerAddresses } from '@mostrador/local-platform/servers/servers';
import { publicUrl } from '@mostrador/local-platform/services';
import type { StartedDemo } from './demo/demo.ts';

/** The content of `.local/dev.json`: the addresses of the running platform and the demo stores. */
export type DevFile = ReturnType<typeof devFile>;

export const apiUrl = (ports: Ports): string => `${publicUrl(ports)}/integrations/v1`;

export const devFile = (ports: Ports, servers: ServerAddresses, demo: StartedDemo | undefined) => ({
  base_url: apiUrl(ports),
  console_url: `${publicUrl(ports)}/console`,
  console_login_url: demo?.login_url ?? null,
  docs_url: `${publicUrl(ports)}/docs`,
  temporal_ui_url: servers.temporalUiUrl,
  temporal_address: servers.temporalAddress,
  nats_url: servers.natsUrl,
  database_url: servers.databaseUrl,
  feed_url: demo?.feed_url ?? null,
  sandbox_url: demo?.sandbox_url ?? null,
  stores: demo?.stores ?? [],
});

/** The text that the terminal shows when everything runs: addresses, and a command that creates an appointment. */
export function announcement(dev: DevFile, tookSeconds: number): string {
  const lines = [
    '',
    `Mostrador is up (${tookSeconds.toFixed(1)} s).`,
    '',
    `  Console      ${dev.console_login_url ?? dev.console_url}`,
    ...(dev.console_login_url
      ? ['               (signs the demo store’s owner in, once; the next start makes another)']
      : []),
    `  API          ${dev.base_url}`,
    `  Docs         ${dev.docs_url}`,
    ...(dev.temporal_ui_url ? [`  Temporal UI  ${dev.temporal_ui_url}`] : []),
    ...(dev.feed_url ? [`  Calendar     ${dev.feed_url}`] : []),
    ...(dev.sandbox_url ? [`  Telephone    ${dev.sandbox_url}`] : []),
  ];
  const store = dev.stores.find(({ tier }) => tier !== 'free');
  if (store) lines.push('', 'Create an appointment in the demo store:', '', ...curl(dev.base_url, store.api_key));
  else lines.push('', 'Create a store and a key: npm run admin -- store create --help');
  return [...lines, '', 'Ctrl-C stops everything.', ''].join('\n');
}

function curl(baseUrl: string, key: string): string[] {
  const tomorrow = new Date(Date.now() + 86_400_000);
  tomorrow.setUTCHours(14, 0, 0, 0);
  const body = JSON.stringify({ title: 'Fitting', scheduled_at: tomorrow.toISOString() });
  return [
    `  curl -i ${baseUrl}/appointments \\`,
    `    -H 'X-API-Key: ${key}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -H 'Idempotency-Key: ${randomUUID()}' \\`,
    `    -d '${body}'`,
  ];
}
