import { findOnPath } from './find-on-path.ts';
import { buildGoTool, cachedGoTool } from './go-tool.ts';

const toxiproxyServer = {
  name: 'toxiproxy',
  title: 'toxiproxy',
  module: 'github.com/Shopify/toxiproxy/v2',
  package: '/cmd/server',
  version: 'v2.12.0',
};

/** Finds toxiproxy-server: on PATH, else in the cache, else built once. Only the chaos tests use it. */
export async function findToxiproxy(env: NodeJS.ProcessEnv, report: (text: string) => void): Promise<string> {
  return (
    findOnPath('toxiproxy-server', env) ??
    cachedGoTool(toxiproxyServer, env) ??
    (await buildGoTool(toxiproxyServer, env, report))
  );
}
