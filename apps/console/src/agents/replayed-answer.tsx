import { type ReactNode, useId, useMemo } from 'react';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Moment } from '../ui/moment.tsx';
import type { ReplayedSide, ReplayedTurn } from './agent-queries.ts';
import styles from './replay.module.css';
import { wordsOfAction } from './replay-words.ts';
import { type DiffPart, diffOf } from './text-diff.ts';
import { wordsOfUse } from './tools.ts';

/** What a customer wrote, how it was answered, and beside it how the agent in the form would answer. */
export function ReplayedAnswer({ turn, children }: { readonly turn: ReplayedTurn; readonly children?: ReactNode }) {
  const { at, text, before, after, differs } = turn;
  const parts = useMemo(() => diffOf(before.text ?? '', after.text ?? ''), [before.text, after.text]);
  // What stands on one side only is not marked word by word.
  const isMarked = differs && before.text !== null && after.text !== null;
  return (
    <>
      <p className={styles.head}>
        <Badge kind={differs ? 'warn' : undefined}>
          {differs ? m.agents_replay_differs() : m.agents_replay_same()}
        </Badge>
        <span className={styles.soft}>
          <Moment at={at} as="log" />
        </span>
      </p>
      <blockquote className={styles.asked} dir="auto">
        {text}
      </blockquote>
      <div className={styles.sides}>
        <Side title={m.agents_replay_before()} side={before} parts={parts.before} mark={isMarked ? 'del' : 'span'} />
        <Side title={m.agents_replay_after()} side={after} parts={parts.after} mark={isMarked ? 'ins' : 'span'} />
      </div>
      {children}
    </>
  );
}

type SideProps = {
  readonly title: string;
  readonly side: ReplayedSide;
  readonly parts: readonly DiffPart[];
  /** How the words are marked that the other side has not. */
  readonly mark: 'del' | 'ins' | 'span';
};

function Side({ title, side, parts, mark: Mark }: SideProps) {
  const id = useId();
  const action = wordsOfAction(side);
  const { text, tools, passages } = side;
  return (
    <section className={styles.side} aria-labelledby={id}>
      <h4 id={id} className={styles.title}>
        {title}
      </h4>
      {action && <p className={styles.action}>{action}</p>}
      {text !== null && (
        <p className={styles.text} dir="auto">
          {parts.map((part, place) => (part.isOwn ? <Mark key={place}>{part.text}</Mark> : part.text))}
        </p>
      )}
      {tools.length > 0 && <Part title={m.agents_replay_tools()} texts={tools.map(({ tool }) => wordsOfUse(tool))} />}
      {passages.length > 0 && <Part title={m.agents_replay_documents()} texts={passages} />}
    </section>
  );
}

const Part = ({ title, texts }: { readonly title: string; readonly texts: readonly string[] }) => (
  <div>
    <p className={styles.title}>{title}</p>
    <ul className={styles.list}>
      {texts.map((text, place) => (
        <li key={place}>
          <bdi>{text}</bdi>
        </li>
      ))}
    </ul>
  </div>
);
