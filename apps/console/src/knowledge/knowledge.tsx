import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { createLazyRoute, Link, useNavigate } from '@tanstack/react-router';
import { BookOpen, Plus, SearchX } from 'lucide-react';
import { useState } from 'react';
import { sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { LoadFailed } from '../ui/load-failed.tsx';
import { Moment } from '../ui/moment.tsx';
import { Page } from '../ui/page.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { type Column, rowLink, Table } from '../ui/table.tsx';
import { Toolbar } from '../ui/toolbar.tsx';
import { TwoLines } from '../ui/two-lines.tsx';
import { DocumentDrawer } from './document-drawer.tsx';
import { CreateDocument } from './document-form.tsx';
import { piecesOf } from './highlight.ts';
import styles from './knowledge.module.css';
import { documentsQuery, passagesQuery } from './queries.ts';

export const route = createLazyRoute('/shell/knowledge')({ component: Knowledge });

type Row = { id: string; title: string; content: string; is_active: boolean; created_at: string };

const columns: readonly Column<Row>[] = [
  {
    key: 'title',
    label: m.knowledge_title(),
    wide: true,
    cell: ({ id, title, content }) => (
      <TwoLines below={startOf(content)}>
        <Link to="/knowledge" search={(search) => ({ ...search, document: id })} className={rowLink}>
          {title}
        </Link>
      </TwoLines>
    ),
  },
  {
    key: 'state',
    label: m.knowledge_state(),
    cell: ({ is_active }) =>
      is_active ? <Badge kind="good">{m.knowledge_active()}</Badge> : <Badge>{m.knowledge_inactive()}</Badge>,
  },
  { key: 'created', label: m.knowledge_created(), cell: ({ created_at }) => <Moment at={created_at} /> },
];

/** Its first words, without its headings. */
const startOf = (content: string): string =>
  content
    .replaceAll(/^#+ .*$/gm, '')
    .trim()
    .slice(0, 160);

/** A passage without the marks of its headings and without empty lines. */
const inBrief = (passage: string): string => passage.replaceAll(/^#+ /gm, '').replaceAll(/\n{2,}/g, '\n');

function Knowledge() {
  const { q, document } = route.useSearch();
  const navigate = useNavigate({ from: '/knowledge' });
  const { data: session } = useQuery(sessionQuery);
  const { data, error, refetch, ...more } = useInfiniteQuery(documentsQuery);
  const [creating, setCreating] = useState(false);
  const mayChange = session !== undefined && session.role !== 'seller';
  const rows = data?.pages.flatMap((page) => page.rows);
  const ask = (text: string) =>
    void navigate({ search: ({ q: _, ...rest }) => (text ? { ...rest, q: text } : rest), replace: true });
  const create = mayChange && (
    <Button kind="main" onClick={() => setCreating(true)}>
      <Plus size={14} aria-hidden />
      {m.knowledge_create()}
    </Button>
  );
  return (
    <Page title={m.knowledge()} about={m.knowledge_about()} actions={rows && rows.length > 0 ? create : undefined}>
      <Toolbar>
        <SearchBox
          wide
          label={m.knowledge_ask()}
          placeholder={m.knowledge_ask_hint()}
          maxLength={500}
          value={q ?? ''}
          onSearch={ask}
        />
      </Toolbar>
      {q && q.length > 0 ? <Passages q={q} /> : null}
      {error && !data ? (
        <LoadFailed error={error} retry={refetch} />
      ) : (
        <Table
          label={m.knowledge_documents()}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          more={more}
          empty={
            <Empty icon={BookOpen} title={m.knowledge_empty_title()} text={m.knowledge_empty_text()}>
              {create}
            </Empty>
          }
        />
      )}
      <CreateDocument open={creating} onClose={() => setCreating(false)} />
      <DocumentDrawer
        documentId={document}
        mayChange={mayChange}
        onClose={() => void navigate({ search: ({ document: _, ...rest }) => rest })}
      />
    </Page>
  );
}

/** What the assistant finds for a question, best first. */
function Passages({ q }: { q: string }) {
  const { data, error, refetch } = useQuery(passagesQuery(q));
  if (error && !data) return <LoadFailed error={error} retry={refetch} />;
  if (!data) return null;
  if (data.length === 0) {
    return <Empty icon={SearchX} title={m.knowledge_none_title()} text={m.knowledge_none_text()} />;
  }
  return (
    <section aria-label={m.knowledge_passages()} aria-live="polite">
      <h2 className={styles.heading}>{m.knowledge_passages()}</h2>
      <ol className={styles.passages}>
        {data.map(({ document, highlight, score }) => (
          <li key={`${document.id}${highlight}`} className={styles.passage}>
            <div className={styles.source}>
              <Link to="/knowledge" search={(search) => ({ ...search, document: document.id })}>
                {document.title}
              </Link>
              <span className={styles.score} title={m.knowledge_score_about()}>
                {m.knowledge_score({ percent: Math.round(score * 100) })}
              </span>
            </div>
            <p className={styles.text}>
              {piecesOf(inBrief(highlight)).map(({ text, marked }, index) =>
                marked ? <mark key={index}>{text}</mark> : text,
              )}
            </p>
          </li>
        ))}
      </ol>
    </section>
  );
}
