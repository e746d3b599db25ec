import { OneOf, ScopeWord, StoreTier, Uuid } from '@mostrador/contracts';
import { type TObject, type TProperties, Type } from '@sinclair/typebox';

const members = {
  type: Type.String({ format: 'uri', description: 'The documentation page of the `code`.' }),
  title: Type.String({ description: 'The same for every error with this `code`.' }),
  status: Type.Integer({ description: 'The HTTP status.' }),
  detail: Type.String({ description: 'What is wrong, and what to do.' }),
  // Not an enum: a client that rejects codes it does not know could not read the error that has a new one.
  code: Type.String({ description: 'What to decide by. A code never changes its meaning; later versions add codes.' }),
  request_id: Type.String({ description: 'The id of the request, as in `X-Request-Id`.' }),
};

const problem = (title: string, description: string, further: TProperties = {}): TObject =>
  Type.Object({ ...members, ...Type.Partial(Type.Object(further)).properties }, { title, description });

const ValidationFault = Type.Object(
  {
    pointer: Type.Optional(
      Type.String({ description: 'The place in the body: a JSON Pointer as a URI fragment, such as `#/title`.' }),
    ),
    in: Type.Optional(
      OneOf(['query', 'path', 'header'], { title: 'FaultPlace', description: 'Where a fault outside the body is.' }),
    ),
    name: Type.Optional(Type.String({ description: 'The name of the parameter or header.' })),
    detail: Type.String({ description: 'What the value must be.' }),
  },
  {
    title: 'ValidationFault',
    description: 'One fault of a request: in the body (`pointer`), or elsewhere (`in`, `name`).',
  },
);

/** The body of every error. The others have its members too. */
export const Problem = problem('Problem', 'An error (RFC 9457).');

export const ValidationProblem = problem('ValidationProblem', 'The request is not valid.', {
  errors: Type.Array(ValidationFault, { description: 'With `validation_failed`: every fault, at most 50.' }),
});

export const PermissionProblem = problem('PermissionProblem', 'The key or the store may not do this.', {
  required_scope: ScopeWord,
  required_tier: StoreTier,
  current_tier: StoreTier,
});

export const NotFoundProblem = problem('NotFoundProblem', 'The store has nothing with this id.', {
  merged_into: Type.String({
    ...Uuid,
    description: 'With `lead_not_found`: the id of the lead into which this lead was merged.',
  }),
});

export const ConflictProblem = problem('ConflictProblem', 'The state of a resource does not allow this.', {
  id: Type.String({
    ...Uuid,
    description:
      'With `lead_exists` and `external_id_exists`: the id of the existing lead. With `default_agent_exists`: of that agent.',
  }),
  current_status: Type.String({
    description:
      'With `appointment_not_scheduled`, `followup_not_pending`, `message_not_queued` and ' +
      '`webhook_endpoint_not_enabled`: the status of the appointment, the follow-up, the message or the endpoint.',
  }),
});

export const PreconditionProblem = problem('PreconditionProblem', 'A precondition of the request does not hold.', {
  id: Type.String({ ...Uuid, description: 'With `If-None-Match: *`: the id of the existing lead.' }),
});

export const UnavailableProblem = problem('UnavailableProblem', 'A part of the platform does not answer.', {
  missing: Type.Array(Type.String(), { description: 'Of a report: the parts that it would lack.' }),
});
