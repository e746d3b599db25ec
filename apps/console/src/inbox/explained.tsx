import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import type { ComponentProps, ReactNode } from 'react';
import { wordsOfCondition } from '../agents/condition-words.ts';
import { selectionOutcomes, selectionReasons } from '../agents/selection-words.ts';
import { wordsOfUse } from '../agents/tools.ts';
import { Failure } from '../api/failure.ts';
import type { Explanation } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { Button } from '../ui/button.tsx';
import { Facts } from '../ui/facts.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { moneyText, numberText } from '../ui/numbers.ts';
import { Popover } from '../ui/popover.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { asksPerson } from './asking.ts';
import { Decision } from './decision.tsx';
import styles from './explained.module.css';
import { wordsOfHandover, wordsOfTool } from './explanation-words.ts';
import { decisionsQuery, explanationQuery } from './inbox-queries.ts';

type ExplainedProps = Omit<ComponentProps<typeof Popover>, 'title' | 'children'> & {
  readonly leadId: string;
  readonly messageId: string;
};

/** Who of the AI answered and why, and what the answer is made from. */
export const Explained = ({ leadId, messageId, ...popover }: ExplainedProps) => (
  <Popover title={m.inbox_why_title()} {...popover}>
    <Content leadId={leadId} messageId={messageId} />
  </Popover>
);

function Content({ leadId, messageId }: Pick<ExplainedProps, 'leadId' | 'messageId'>) {
  const { data, error, refetch } = useQuery(explanationQuery(leadId, messageId));
  if (data) {
    return (
      <>
        <Whole explanation={data} />
        {asksPerson(data) && <Asks leadId={leadId} messageId={messageId} />}
      </>
    );
  }
  // A message is there a moment before its turn has ended.
  if (error instanceof Failure && error.code === 'message_not_found') {
    return (
      <>
        <p className={styles.soft}>{m.inbox_why_none()}</p>
        <Button className={styles.again} onClick={() => void refetch()}>
          {m.try_again()}
        </Button>
      </>
    );
  }
  if (error) return <LoadFailed error={error} retry={refetch} />;
  return (
    <div aria-busy="true">
      <Skeleton width="long" />
    </div>
  );
}

/** What the answer asks a person for. */
function Asks(ids: Pick<ExplainedProps, 'leadId' | 'messageId'>) {
  const { data } = useQuery(decisionsQuery(ids.leadId));
  const asked = data?.data.find(({ message_id }) => message_id === ids.messageId);
  return asked ? <Decision {...ids} asked={asked} /> : null;
}

function Whole({ explanation }: { readonly explanation: Explanation }) {
  const { handover_reason, passages, tools, model, tokens, cost, latency_ms, superseded } = explanation;
  return (
    <>
      <Chosen explanation={explanation} />
      {handover_reason && <p>{m.inbox_why_handed_over({ reason: wordsOfHandover(handover_reason) })}</p>}
      {passages.length > 0 && (
        <Part title={m.inbox_why_passages()}>
          {documentsOf(passages).map(({ document_id, title, used }) => (
            <li key={document_id}>
              <DocumentLink id={document_id} title={title} />{' '}
              <span className={styles.soft}>{used ? m.inbox_why_used() : m.inbox_why_not_used()}</span>
            </li>
          ))}
        </Part>
      )}
      {tools.length > 0 && (
        <Part title={m.inbox_why_tools()}>
          {tools.map((call, place) => (
            <Tool key={place} call={call} />
          ))}
        </Part>
      )}
      <Facts
        facts={[
          [m.inbox_why_model(), model ?? m.inbox_why_no_model()],
          model !== null && [
            m.inbox_why_tokens(),
            tokens
              ? m.inbox_why_tokens_value({ input: numberText(tokens.input), output: numberText(tokens.output) })
              : m.inbox_why_unknown(),
          ],
          model !== null && [m.inbox_why_cost(), cost ? moneyText(cost.amount, cost.currency) : m.inbox_why_no_price()],
          latency_ms !== null && [m.inbox_why_latency(), secondsText(latency_ms)],
          superseded > 0 && [m.inbox_why_superseded(), superseded],
        ]}
      />
    </>
  );
}

/** The agent and why it was chosen, and why not the others. */
function Chosen({ explanation: { agent_id, agent_name, agent_reason, considered } }: { explanation: Explanation }) {
  if (agent_name === null) return <p>{m.inbox_why_no_agent()}</p>;
  const others = considered.filter((other) => other.agent_id !== agent_id);
  return (
    <>
      <p>
        <strong dir="auto">{agent_name}</strong> {reasonWords(agent_reason)}
      </p>
      {others.length > 0 && (
        <Part title={m.inbox_why_others()}>
          {others.map((other) => (
            <li key={other.agent_id}>
              <bdi>{other.name}</bdi>{' '}
              <span className={styles.soft}>
                {selectionOutcomes[other.outcome]()}
                {other.failed_condition && `: ${wordsOfCondition(other.failed_condition)}`}
              </span>
            </li>
          ))}
        </Part>
      )}
    </>
  );
}

const reasonWords = (reason: string | null): string =>
  reason === 'conditions_hold' || reason === 'default' ? selectionReasons[reason]() : '';

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section>
    <h3 className={styles.title}>{title}</h3>
    <ul className={styles.list}>{children}</ul>
  </section>
);

/** A document can give several passages, and is shown once. */
const documentsOf = (passages: Explanation['passages']): Explanation['passages'] =>
  passages
    .filter(({ document_id: id }, place) => passages.findIndex(({ document_id }) => document_id === id) === place)
    .map((first) => ({
      ...first,
      used: passages.some(({ document_id, used }) => used && document_id === first.document_id),
    }));

const knowledgePath: string = '/knowledge';

const DocumentLink = ({ id, title }: { readonly id: string; readonly title: string }) => (
  <Link to={knowledgePath as LinkProps['to']} search={{ document: id } as never}>
    <bdi>{title}</bdi>
  </Link>
);

/** A tool with what it was given and what it gave. One that had no effect says so. */
const Tool = ({
  call: { tool, input, output, awaits_confirmation },
}: {
  readonly call: Explanation['tools'][number];
}) => (
  <li>
    <details className={styles.tool}>
      <summary>
        {awaits_confirmation ? wordsOfUse(tool) : wordsOfTool(tool)}{' '}
        <span className={styles.soft}>
          {awaits_confirmation
            ? m.inbox_why_tool_waits()
            : 'error' in output
              ? m.inbox_why_tool_failed()
              : m.inbox_why_tool_done()}
        </span>
      </summary>
      <pre dir="ltr">{JSON.stringify({ input, output }, undefined, 2)}</pre>
    </details>
  </li>
);

const secondsText = (ms: number): string =>
  new Intl.NumberFormat(getLocale(), {
    ...{ style: 'unit', unit: 'second', unitDisplay: 'long', maximumFractionDigits: ms < 1_000 ? 3 : 1 },
  }).format(ms / 1_000);
