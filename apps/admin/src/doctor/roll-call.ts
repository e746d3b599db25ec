import { ProcessDescription, rollCallSubject } from '@mostrador/contracts';
import { type NatsConnection, newInbox } from '@mostrador/kit/rpc/nats';
import { compile } from '@mostrador/kit/schema/compile';
import type { Answer } from './processes.ts';

const validate = compile(ProcessDescription);

/** A process checks its servers before it answers, which takes it up to a second. */
const answerWithinMs = 3_000;
/** Once all kinds have answered, further replicas get this long. */
const quietMs = 700;

/** Asks every process on NATS what it is and how it is. Returns the answers that come in time, by process and instance. */
export async function callRoll(nats: NatsConnection, processes: readonly string[]): Promise<Answer[]> {
  const sentMs = Date.now();
  const answers: Answer[] = [];
  const inbox = newInbox(nats);
  await new Promise<void>((resolve) => {
    let quiet: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(quiet);
      clearTimeout(limit);
      subscription.unsubscribe();
      resolve();
    };
    // On a machine that stood still, answers may have come and not be read yet: they are, once NATS has answered.
    const limit = setTimeout(() => void nats.flush().then(end, end), answerWithinMs);
    const subscription = nats.subscribe(inbox, {
      callback: (error, message) => {
        const value: unknown = error || message.data.length === 0 ? undefined : message.json();
        if (value !== undefined && validate(value).length === 0)
          answers.push(withSkew(value as ProcessDescription, sentMs));
        const present = new Set(answers.map(({ process }) => process));
        if (processes.some((name) => !present.has(name))) return;
        clearTimeout(quiet);
        quiet = setTimeout(end, quietMs);
      },
    });
    nats.publish(rollCallSubject, '', { reply: inbox });
  });
  const place = ({ process, instance }: Answer) => `${processes.indexOf(process)} ${instance}`;
  return answers.sort((one, other) => (place(one) < place(other) ? -1 : 1));
}

/** The process read its clock at some moment between the question and the answer. */
function withSkew(description: ProcessDescription, sentMs: number): Answer {
  const now = Date.parse(description.now);
  const receivedMs = Date.now();
  const skewMs = now < sentMs ? now - sentMs : now > receivedMs ? now - receivedMs : 0;
  return { ...description, skewMs };
}
