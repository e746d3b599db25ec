import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, createAsset, sendAsset } from '../assets/asset.ts';

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/**
 * Serves the console at `/console`: one page for every path, and the files of its build, whose names have a hash of
 * their content. All of them are read once, so that a new build beside this process changes nothing that it serves.
 */
export async function addConsole(app: FastifyInstance, directory: string): Promise<void> {
  const html = await readFile(join(directory, 'index.html'), 'utf8');
  const page = createAsset('text/html; charset=utf-8', html);
  const policy = consolePolicy(html);
  const assets = await readAssets(join(directory, 'assets'));

  const sendPage = (request: FastifyRequest, reply: FastifyReply) => {
    reply.header('content-security-policy', policy);
    return sendAsset(request, reply, page, 'no-cache');
  };
  // The router of the console shows what belongs to the path, or that there is nothing.
  for (const path of ['/console', '/console/', '/console/*']) app.get(path, sendPage);
  app.get<{ Params: { file: string } }>('/console/assets/:file', (request, reply) => {
    const asset = assets.get(request.params.file);
    if (!asset) throw new AppError('route_not_found');
    return sendAsset(request, reply, asset, 'public, max-age=31536000, immutable');
  });
}

async function readAssets(folder: string): Promise<ReadonlyMap<string, Asset>> {
  const files = (await readdir(folder)).map(async (file): Promise<[string, Asset]> => {
    const type = types[extname(file)] ?? 'application/octet-stream';
    return [file, createAsset(type, await readFile(join(folder, file)))];
  });
  return new Map(await Promise.all(files));
}

/** The console loads from and calls only this origin. Its page has one inline script, which is allowed by its hash. */
export function consolePolicy(html: string): string {
  const scripts = [...html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(
    ([, script = '']) => `'sha256-${createHash('sha256').update(script).digest('base64')}'`,
  );
  return [
    "default-src 'none'",
    `script-src 'self' ${scripts.join(' ')}`.trimEnd(),
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}
