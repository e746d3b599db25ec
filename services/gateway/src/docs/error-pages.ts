import { type ErrorCode, errorCatalogue } from '@mostrador/contracts';
import { errorsOf, exampleProblem } from '../openapi/errors.ts';
import { errorPagePath } from '../plugins/problem.ts';
import { routes } from '../routes/index.ts';
import { documentedPath } from '../routes/route.ts';
import { type Guide, guidePath, guides } from './guides.ts';
import { docsPath, escapeHtml, layout } from './layout.ts';
import { operationPath } from './operation-path.ts';

const section = '/docs/errors';

/** The page that lists every error of the catalogue. */
export function errorListPage(): string {
  const rows = (Object.keys(errorCatalogue) as ErrorCode[])
    .toSorted((one, other) => errorCatalogue[one].status - errorCatalogue[other].status)
    .map((code) => {
      const { status, title } = errorCatalogue[code];
      const link = `<a href="${errorPagePath(code)}"><code>${code}</code></a>`;
      return `<tr><td>${status}</td><td>${link}</td><td>${html(title)}</td></tr>`;
    });
  const content = `<h1>Errors</h1>
<p class="lead">Every error is a problem document (RFC 9457, <code>application/problem+json</code>) with a stable <code>code</code>. The
<a href="${guidePath('errors')}">guide</a> says how a program handles them.</p>
<div class="scroll"><table><thead><tr><th>Status</th><th>Code</th><th>Title</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table></div>`;
  return layout({ title: 'Errors', section, content });
}

/** The page of one error code, to which the `type` of a problem document links. */
export function errorPage(code: ErrorCode, publicUrl: string): string {
  const { status, title, retryable } = errorCatalogue[code];
  const { cause, remedy } = explain(code);
  const guide = guideOf(code);
  const content = `<h1>${html(title)}</h1>
<p class="lead"><code>${code}</code>, HTTP status ${status}</p>
<h2>Cause</h2>
<p>${html(cause)}</p>
<h2>Remedy</h2>
<p>${html(remedy)}</p>
<p>${retryable ? 'The same request may succeed later.' : 'The same request fails again until something changes.'}
Read more: <a href="${guidePath(guide)}">${guides[guide].title}</a>.</p>
<h2>Example</h2>
<pre><code>${escapeHtml(JSON.stringify(exampleProblem(code, publicUrl), null, 2))}</code></pre>
<h2>Operations</h2>
${operationsOf(code)}
<p><a href="${docsPath}/errors">All errors</a></p>`;
  return layout({ title, section, content });
}

/** The catalogue's description begins with the cause. Its other sentences say what to do. */
export function explain(code: ErrorCode): { cause: string; remedy: string } {
  const { description } = errorCatalogue[code];
  const end = description.search(/\. (?=[A-Z`])/) + 1;
  return { cause: description.slice(0, end), remedy: description.slice(end + 1) };
}

const ofKeys = ['missing_api_key', 'invalid_api_key', 'quota_exceeded', 'tier_required', 'scope_required'];
const ofRetries = ['idempotency_key_reused', 'idempotency_in_progress', 'upstream_timeout', 'service_unavailable'];
const ofMessages = ['channel_not_connected', 'messaging_window_closed', 'lead_opted_out', 'lead_replied'];

function guideOf(code: ErrorCode): Guide {
  if (ofKeys.includes(code)) return 'authentication';
  if (ofRetries.includes(code)) return 'idempotency';
  if (ofMessages.includes(code)) return 'messages-and-windows';
  return code === 'version_mismatch' ? 'lists-and-sync' : 'errors';
}

function operationsOf(code: ErrorCode): string {
  const named = routes.filter((route) => errorsOf(route).includes(code));
  if (named.length === routes.length) return '<p>Every operation can answer it.</p>';
  if (named.length === 0) return '<p>No operation names it: it belongs to a request outside of them.</p>';
  const items = named.map((route) => {
    const { method, path, operation } = route;
    const name = `${method} ${documentedPath(path)}`;
    return `<li><a href="${operationPath(route)}"><code>${name}</code></a> ${html(operation.summary)}</li>`;
  });
  return `<ul>\n${items.join('\n')}\n</ul>`;
}

/** Escapes a text of the catalogue, and turns backticks into `<code>`. */
const html = (text: string): string => escapeHtml(text).replaceAll(/`([^`]*)`/g, '<code>$1</code>');
