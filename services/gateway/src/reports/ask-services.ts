import type { CallContext } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';

/** Kept for our own answer, so that a service that hangs is told as what is missing, and not as our own silence. */
const answerMs = 250;

/** In which the services are asked: their answers come before ours is due. */
export const askingContext = <Context extends CallContext>(context: Context): Context => ({
  ...context,
  deadline: context.deadline - answerMs,
});

/** The parts of a report, by the service that owns them. */
const parts = {
  crm: ['leads', 'sellers'],
  messaging: ['conversations'],
  scheduling: ['appointments', 'followups'],
} as const;
type ServiceName = keyof typeof parts;

/**
 * What every service answered. A report without a part would look like one of less: if a service cannot answer, in time
 * or at all, it is `service_unavailable`, and `missing` names the parts. A refusal is passed on.
 */
export async function allAnswers<const Answers extends Partial<Record<ServiceName, unknown>>>(
  questions: {
    readonly [Name in keyof Answers]: Promise<Answers[Name]>;
  },
): Promise<Answers> {
  const names = Object.keys(questions) as (ServiceName & keyof Answers)[];
  const answers = await Promise.allSettled(names.map((name) => questions[name]));
  const failures = answers.flatMap((answer, index) =>
    answer.status === 'rejected' ? [{ name: names[index] as ServiceName, reason: answer.reason as unknown }] : [],
  );
  const refusal = failures.find(({ reason }) => !(reason instanceof AppError) || reason.status < 500);
  if (refusal) throw refusal.reason;
  const [first] = failures;
  if (first) {
    const missing = failures.flatMap(({ name }) => parts[name]);
    throw new AppError('service_unavailable', {
      detail: `The report is not complete: ${missing.join(', ')} cannot be counted at the moment.`,
      members: { missing },
      retryAfterSeconds: 1,
      cause: first.reason,
    });
  }
  return Object.fromEntries(
    names.map((name, index) => [name, (answers[index] as PromiseFulfilledResult<unknown>).value]),
  ) as Answers;
}
