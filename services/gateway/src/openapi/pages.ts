import { type ErrorCode, errorCatalogue } from '@mostrador/contracts';

/** The logo of the documentation page: the name above the line of a counter. */
export const logo = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 170 40" width="170" height="40" role="img" aria-label="Mostrador">
<text x="0" y="26" font-family="system-ui, sans-serif" font-size="24" font-weight="600" fill="#fff">Mostrador</text>
<rect x="0" y="33" width="128" height="3" fill="#b48cff"/></svg>`;

/** The page that lists every error of the catalogue. */
export function errorListPage(): string {
  const rows = (Object.keys(errorCatalogue) as ErrorCode[]).map((code) => {
    const { status, title } = errorCatalogue[code];
    return `<tr><td>${status}</td><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${html(title)}</td></tr>`;
  });
  return page(
    'Errors',
    `<p>Every error is a problem document (RFC 9457, <code>application/problem+json</code>) with a stable <code>code</code>.</p>
<table><thead><tr><th>Status</th><th>Code</th><th>Title</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>
<p><a href="/docs">The API</a></p>`,
  );
}

/** The page of one error code, to which the `type` of a problem document links. */
export function errorPage(code: ErrorCode): string {
  const { status, title, description, retryable } = errorCatalogue[code];
  return page(
    title,
    `<p><code>${code}</code>, HTTP status ${status}</p>
<p>${html(description)}</p>
<p>${retryable ? 'The same request may succeed later.' : 'The same request fails again until something changes.'}</p>
<p><a href="/docs/errors">All errors</a> · <a href="/docs">The API</a></p>`,
  );
}

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}' +
  'table{border-collapse:collapse}th,td{text-align:left;padding:.25rem 1rem .25rem 0;vertical-align:top}';

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${html(title)} · Mostrador</title>
<style>${style}</style></head><body><h1>${html(title)}</h1>
${content}
</body></html>
`;
}

/** Escapes a text of the catalogue, and turns backticks into `<code>`. */
function html(text: string): string {
  const escaped = text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
  return escaped.replaceAll(/`([^`]*)`/g, '<code>$1</code>');
}
