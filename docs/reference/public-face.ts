import { type Operation, operations, publicOperations, roleFor } from '../../packages/contracts/src/index.ts';
import { eventStreamRoute } from '../../services/gateway/src/events/add-event-stream.ts';
import { actionOf } from '../../services/gateway/src/platform/person-auth.ts';
import { apiPrefix, platformPrefix, type Route, toRoute } from '../../services/gateway/src/routes/route.ts';

const legend = `# Who may call what, at every path of the two APIs: a change of the public face is a change of this file.
# Written by \`node_modules/.bin/node docs/reference/write-reference.ts\`. A test compares it with the contracts.
#
# scope   what a key needs, below ${apiPrefix}; "none": every key may call it; "-": no key may
# tier    the lowest tier of the store; "-": every tier
# role    the lowest role of a person, below ${platformPrefix}; "guest": without a session; "-": no person
# status  of a successful response
# form    versioned, upserts, located, follows, exports: see \`Http\` in the contracts
# audit   what the audit log says before a person's request is carried out, and which members of the body it shows;
#         "accounts": accounts decides what it says
`;

const isOfAccounts = ({ operation }: Route) => operation.tenancy === 'none';

function auditOf(route: Route): string {
  if (route.method === 'GET' || route.audited === false) return '-';
  if (isOfAccounts(route)) return 'accounts';
  const shown = route.audited?.join(',') ?? (route.method === 'PATCH' ? 'changed' : '');
  return [actionOf(route.operation), shown && `(${shown})`].filter(Boolean).join(' ');
}

const formOf = (route: Route) =>
  (['versioned', 'upserts', 'located', 'follows', 'exports'] as const).filter((form) => route[form]).join(',') || '-';

const rowOf = (route: Route): string[] => [
  route.path,
  route.method,
  route.scope === null ? 'none' : [route.scope ?? '-', route.alsoScope].filter(Boolean).join('+'),
  route.tier ?? '-',
  route.scope === null ? '-' : route.role,
  String(route.status),
  formOf(route),
  auditOf(route),
];

/** Asked by the gateway's own code, or served at a path with its own code. */
const withoutPath = ([, { subject, http }]: [string, Operation]) =>
  http === undefined && ['api', 'platform'].includes(subject.split('.')[1] ?? '');

/** Every path with what it takes to call it, sorted, in columns. */
export function publicFace(): string {
  const routes = [...Object.values(publicOperations).map(toRoute), eventStreamRoute];
  const rows = routes.map(rowOf).sort((one, other) => (one.join(' ') < other.join(' ') ? -1 : 1));
  // Its frames say only what to read again, so every role may follow it.
  const hints = 'The stream of events is also for people of every role, who get only hints of what to read again.';
  const others = Object.entries(operations)
    .filter(withoutPath)
    .map(([name, { subject, access }]) => [
      subject,
      name,
      typeof access === 'object' ? roleFor(access) : (access ?? '-'),
    ])
    .sort(([one = ''], [other = '']) => (one < other ? -1 : 1));
  return `${legend}
${columns([['path', 'method', 'scope', 'tier', 'role', 'status', 'form', 'audit'], ...rows])}

# ${hints}

# Without a path of their own: the gateway asks them with its own code, such as the webhook of a channel.
${columns(others)}
`;
}

function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  return rows
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
