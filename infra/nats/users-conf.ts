import { eventStream } from '../../packages/contracts/src/index.ts';
import { natsUsers, passwordVariable } from '../../packages/platform/src/servers.ts';
import { type Permissions, permissionsOf } from './users.ts';

/** The text of `users.conf`. Tests pass other permissions than those of the table. */
export function usersConf(permissions: typeof permissionsOf = permissionsOf): string {
  const users = natsUsers.map((user) => userLines(user, passwordVariable(user), permissions(user)).join('\n'));
  return `# The permissions of every user, generated from users.ts by \`node infra/nats/write-users.ts\`. Do not edit.
# Passwords come from the environment of nats-server, which parses them like this file. A value that does not start with
# a letter, or that is a bcrypt hash, needs double quotes inside the variable.
accounts {
  # JetStream has its own account, so that no stream or consumer can copy a request or deliver to its subject.
  EVENTS {
    jetstream: enabled
    exports: [
${eventStream.subjects.map((subject) => `      { service: "${subject}", accounts: [PLATFORM] }`).join('\n')}
      { service: "$JS.API.>", response_type: stream, accounts: [PLATFORM] }
      { service: "$JS.ACK.>", accounts: [PLATFORM] }
    ]
  }
  PLATFORM {
    imports: [
${eventStream.subjects.map((subject) => `      { service: { account: EVENTS, subject: "${subject}" } }`).join('\n')}
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
    // The longest time that a request may take.
    ...(answers ? ['        allow_responses: { max: 1, expires: "10m" }'] : []),
    '      } }',
  ];
}

const quoted = (text: string): string => `"${text}"`;
