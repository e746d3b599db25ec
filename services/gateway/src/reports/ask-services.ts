import type { CallContext } from '@mostrador/kit/rpc/client';
import { AppError } from '@mostrador/kit/rpc/errors';

/** Reserved for the gateway's own response, so that it can name a service that hangs before the caller times out. */
const answerMs = 250;

/** The context of the requests to the services. Their deadline is 250 ms before the gateway's own. */
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
 * Waits for the answers of all services. A report without a part would look like a report with lower counts. So if a
 * service fails or times out, this throws `service_unavailable` with the parts in `missing`. It rethrows a 4xx error.
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
      detail: `The report would lack ${missing.join(', ')}, because a service did not answer. Send the request again.`,
      members: { missing },
      retryAfterSeconds: 1,
      cause: first.reason,
    });
  }
  return Object.fromEntries(
    names.map((name, index) => [name, (answers[index] as PromiseFulfilledResult<unknown>).value]),
  ) as Answers;
}
