import { eventStream } from '../../packages/contracts/src/index.ts';
import { natsUsers, type Permissions, passwordVariable, permissionsOf } from './users.ts';

/** The text of `users.conf`. `permissions` is the table's own unless a test says otherwise. */
export function usersConf(permissions: typeof permissionsOf = permissionsOf): string {
  const users = natsUsers.map((user) => userLines(user, passwordVariable(user), permissions(user)).join('\n'));
  return `# Who may do what, made from users.ts by \`node infra/nats/write-users.ts\`: do not edit.
# Passwords come from the environment of nats-server. A value is read as this file is: one that does not start with a
# letter, or a bcrypt hash, needs double quotes within the variable.
accounts {
  # JetStream is on its own: whatever a stream or a consumer is told to copy or to deliver, it does not reach a request.
  EVENTS {
    jetstream: enabled
    exports: [
      { service: "${eventStream.subjects}", accounts: [PLATFORM] }
      { service: "$JS.API.>", response_type: stream, accounts: [PLATFORM] }
      { service: "$JS.ACK.>", accounts: [PLATFORM] }
    ]
  }
  PLATFORM {
    imports: [
      { service: { account: EVENTS, subject: "${eventStream.subjects}" } }
      { service: { account: EVENTS, subject: "$JS.API.>" } }
      { service: { account: EVENTS, subject: "$JS.ACK.>" } }
    ]
    users: [
${users.join('\n')}
    ]
  }
}
`;
}

function userLines(user: string, variable: string, { publish, subscribe, answers }: Permissions): string[] {
  return [
    `      { user: ${user}, password: $${variable}, permissions: {`,
    `        publish: [${publish.map(quoted).join(', ')}]`,
    `        subscribe: [${subscribe.map(quoted).join(', ')}]`,
    // As long as a request may take at most.
    ...(answers ? ['        allow_responses: { max: 1, expires: "10m" }'] : []),
    '      } }',
  ];
}

const quoted = (text: string): string => `"${text}"`;
