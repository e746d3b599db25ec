import { type Static, Type } from '@sinclair/typebox';
import { EffectDecisionWord } from '../assistant/turns.ts';
import { ScopeWord, UserRoleWord } from '../core/access.ts';
import {
  About,
  Exact,
  Matching,
  Nullable,
  NullableString,
  NullableUuid,
  OneOf,
  Timestamp,
  Uuid,
} from '../core/common.ts';
import { defineOperation } from '../core/operation.ts';
import { UnknownOutcome, WaitingKindWord, WaitingReasonWord } from '../core/waiting.ts';

/** What was done, as `<what>.<done>`. */
export const AuditActionWord = Matching('^[a-z_]+\\.[a-z_]+$', 'must be an action, such as key.created', {
  maxLength: 100,
  description: 'What was done, such as `key.created`.',
});

/** What an action was about. It has no name, no text and no secret. */
export const AuditDetails = Type.Object(
  {
    changed: Type.Optional(
      Type.Array(Type.String({ maxLength: 100 }), {
        maxItems: 50,
        description: 'Which members were given a new value, such as `timezone`.',
      }),
    ),
    role: Type.Optional(About(UserRoleWord, 'The role that the person was given.')),
    scopes: Type.Optional(Type.Array(ScopeWord, { maxItems: 50, description: 'What the API key may do.' })),
    proof: Type.Optional(
      OneOf(['password', 'passkey', 'oidc'], {
        title: 'AuditProof',
        description: 'What opens the store since then. `oidc`: the account at the OpenID provider.',
      }),
    ),
    method: Type.Optional(
      OneOf(['password', 'passkey', 'link', 'oidc'], {
        title: 'SignInMethod',
        description: 'How the person signed in, or how an attempt was made. `oidc`: with the OpenID provider.',
      }),
    ),
    attempts: Type.Optional(
      Type.Integer({ description: 'How many further attempts failed, in an hour. Left out: it is one attempt.' }),
    ),
    provider: Type.Optional(Type.String({ maxLength: 100, description: 'The provider that was connected.' })),
    kind: Type.Optional(About(WaitingKindWord, 'The kind of what was retried or given up.')),
    count: Type.Optional(Type.Integer({ description: 'How many were named by their ids. Left out: all of the kind.' })),
    reason: Type.Optional(About(WaitingReasonWord, 'Only those that waited for this reason.')),
    older_than: Type.Optional(About(Timestamp, 'Only those that waited since before this moment.')),
    decision: Type.Optional(About(EffectDecisionWord, 'What was decided about the effects that the AI asked for.')),
    unknown_as: Type.Optional(About(UnknownOutcome, 'The status that messages with an unknown outcome got.')),
  },
  { title: 'AuditDetails', description: 'What the action was about: which members of it apply depends on the action.' },
);
export type AuditDetails = Static<typeof AuditDetails>;

/** Who did what, on what, when, from where. */
export const AuditEntry = Type.Object(
  {
    id: About(Uuid, 'The id of the entry.'),
    at: About(Timestamp, 'When it was done.'),
    actor: Type.Object(
      {
        kind: OneOf(['operator', 'user', 'guest'], {
          title: 'AuditActorKind',
          description:
            '`operator`: who runs the platform, with the admin command. `user`: a person of the store. `guest`: anybody, ' +
            'who did not prove who they are.',
        }),
        id: About(NullableUuid, 'The id of the person. Null: the operator, or a guest.'),
        name: About(NullableString, 'The name of the person. Null: the operator, or a guest.'),
      },
      { title: 'AuditActor', description: 'Who did it.' },
    ),
    action: AuditActionWord,
    subject: Type.Object(
      {
        id: Type.String({ description: 'The id of what was changed.' }),
        name: About(NullableString, 'Its name, if it is a person or an API key of the store. Otherwise null.'),
      },
      { title: 'AuditSubject', description: 'What was changed.' },
    ),
    details: Nullable(AuditDetails, {
      description: 'What changed, or what it was about. Null: the action says it all.',
    }),
    address: About(NullableString, 'The network address from which it was done. Null: the operator, or several.'),
  },
  { title: 'AuditEntry', description: 'Who did what, on what, when, from where.' },
);
export type AuditEntry = Static<typeof AuditEntry>;

export const listAuditLog = defineOperation({
  subject: 'accounts.platform.audit-log.list',
  http: { method: 'GET', path: '/audit-log' },
  access: { role: 'owner' },
  tenancy: 'none',
  summary: 'List what people and operators did in the store, newest first',
  request: {
    query: Exact({
      actor_id: Type.Optional(About(Uuid, 'Only what this person did.')),
      action: Type.Optional(AuditActionWord),
      from: Type.Optional(About(Timestamp, 'Only from this moment on.')),
      to: Type.Optional(About(Timestamp, 'Only before this moment.')),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Entries per page.' })),
      cursor: Type.Optional(
        Type.String({ minLength: 1, maxLength: 1024, description: '`next_cursor` of the previous page.' }),
      ),
    }),
  },
  reply: Type.Object(
    {
      data: Type.Array(AuditEntry, { description: 'The entries of this page.' }),
      next_cursor: About(NullableString, 'The `cursor` of the next page. Null: there is none.'),
    },
    { title: 'AuditLog', description: 'One page of the audit log.' },
  ),
  errors: ['invalid_session', 'role_required'],
});
