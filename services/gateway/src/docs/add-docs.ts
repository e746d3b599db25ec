import { readFileSync } from 'node:fs';
import { type ErrorCode, errorCatalogue } from '@mostrador/contracts';
import { AppError } from '@mostrador/kit/rpc/errors';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, createAsset, sendAsset } from '../assets/asset.ts';
import { addVary } from '../http/headers.ts';
import { isLanguage, type Language, preferredLanguage } from '../languages/language.ts';
import type { ApiDocument } from '../openapi/document.ts';
import { withRealIds } from '../openapi/examples/real-ids.ts';
import { errorPagePath } from '../plugins/problem.ts';
import { errorListPage, errorPage } from './error-pages.ts';
import { type Guide, guideListPage, guidePage, guides } from './guides.ts';
import { keepLanguage, layout } from './layout.ts';
import { makeInThread } from './make-in-thread.ts';
import { asksForMarkdown, guideMarkdown, llmsText } from './markdown.ts';

/** The pages load from and call only this origin and the API's, so that they work offline and send keys nowhere else. */
const policyOf = (directives: Readonly<Record<string, string>>): string =>
  Object.entries({
    'default-src': "'none'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    ...directives,
  })
    .map(([name, sources]) => `${name} ${sources}`)
    .join('; ');

/**
 * The documentation: `/docs` (the reference, where calls can be tried), `/docs/guides`, and `/docs/errors`. The guides
 * and the pages of errors are in each of our `languages`; the guides are Markdown, too. The OpenAPI document is at
 * `/openapi.json` and `/openapi.yaml`, and `/llms.txt` lists all of it. All but the pages of errors can be switched off.
 * Those stay, because problem documents name them.
 */
export function addDocs(
  app: FastifyInstance,
  options: { document: ApiDocument; publicUrl: string; isOn: boolean; exampleIdsFile?: string },
): void {
  const { document, publicUrl, isOn, exampleIdsFile } = options;
  const text = () => withRealIds(JSON.stringify(document), exampleIdsFile);
  const assets = createAssets();
  const add = (paths: readonly [string, ...string[]], make: Make, policy = policyOf({})) => {
    const handler = async (request: FastifyRequest, reply: FastifyReply) => {
      const asset = await assets.get(paths[0], make);
      reply.header('content-security-policy', policy);
      return sendAsset(request, reply, asset);
    };
    for (const path of paths) app.get(path, handler);
  };
  // A page in each language: the one of `?lang=`, which its links then keep, otherwise the one of `Accept-Language`.
  const addPage = (path: string, make: (language: Language, name: string) => string, makeMarkdown?: MakeMarkdown) => {
    app.get(path, async (request, reply) => {
      const [given = ''] = Object.values(request.params as Record<string, string>);
      const { lang } = request.query as { lang?: unknown };
      const chosen = isLanguage(lang) ? lang : undefined;
      const language = chosen ?? preferredLanguage(request.headers['accept-language']);
      const name = makeMarkdown ? given.replace(/\.md$/, '') : given;
      const asMarkdown = name !== given || asksForMarkdown(request.headers.accept) ? makeMarkdown : undefined;
      const asset = await assets.get(`${path} ${name} ${language} ${chosen} ${asMarkdown !== undefined}`, () => {
        if (asMarkdown) return markdown(asMarkdown(language, name, chosen));
        const html = make(language, name);
        return page(chosen === undefined ? html : keepLanguage(html, chosen));
      });
      reply.header('content-security-policy', policyOf({})).header('content-language', language);
      if (chosen === undefined) addVary(reply, 'Accept-Language');
      if (makeMarkdown && name === given) addVary(reply, 'Accept');
      return sendAsset(request, reply, asset);
    });
  };

  add(['/docs/assets/style.css'], () => createAsset('text/css; charset=utf-8', ownFile('style.css')));
  addPage('/docs/errors', errorListPage);
  addPage(errorPagePath(':code'), (language, code) =>
    errorPage(known(errorCatalogue, code) as ErrorCode, publicUrl, language),
  );
  if (!isOn) return;

  const referencePolicy = policyOf({
    'script-src': "'self'",
    // Scalar sets styles from script.
    'style-src': "'self' 'unsafe-inline'",
    'connect-src': `'self' ${new URL(publicUrl).origin}`,
  });
  add(['/docs', '/docs/'], () => page(referencePage()), referencePolicy);
  add(['/docs/assets/reference.js'], () => createAsset(script, ownFile('reference.mjs')));
  add(['/docs/assets/scalar.js'], async () => createAsset(script, await makeInThread({ make: 'reference script' })));
  addPage('/docs/guides', guideListPage);
  addPage(
    '/docs/guides/:guide',
    (language, name) => guidePage(known(guides, name) as Guide, language),
    (language, name, chosen) => guideMarkdown(known(guides, name) as Guide, language, chosen),
  );
  add(['/llms.txt'], () => createAsset('text/plain; charset=utf-8', llmsText(publicUrl)));
  add(['/openapi.json', '/docs/json'], () => createAsset('application/json; charset=utf-8', text()));
  add(['/openapi.yaml', '/docs/yaml'], async () =>
    createAsset('application/yaml; charset=utf-8', await makeInThread({ make: 'yaml', json: text() })),
  );
}

type Make = () => Asset | Promise<Asset>;
type MakeMarkdown = (language: Language, name: string, chosen: Language | undefined) => string;

/** Makes each asset once, on the first request for it. */
function createAssets() {
  const assets = new Map<string, Promise<Asset>>();
  return {
    get(name: string, make: Make): Promise<Asset> {
      const asset = assets.get(name) ?? Promise.resolve(make());
      assets.set(name, asset);
      // A failure is not kept: the next request tries again.
      asset.catch(() => assets.delete(name));
      return asset;
    },
  };
}

const script = 'text/javascript; charset=utf-8';
const page = (html: string) => createAsset('text/html; charset=utf-8', html);
const markdown = (text: string) => createAsset('text/markdown; charset=utf-8', text);
const ownFile = (name: string) => readFileSync(new URL(`../docs/${name}`, import.meta.url));

function known(names: object, name: string): string {
  if (!Object.hasOwn(names, name)) throw new AppError('route_not_found');
  return name;
}

const referencePage = () =>
  layout({
    title: 'Mostrador',
    section: '/docs',
    isWide: true,
    content: `<div id="reference"></div>
<noscript><p>This page needs JavaScript. The API document is at <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<script src="/docs/assets/scalar.js" defer></script><script type="module" src="/docs/assets/reference.js"></script>`,
  });
