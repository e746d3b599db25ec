import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { Eye, type LucideIcon, MessageSquareText, Minus, PencilLine } from 'lucide-react';
import { aiQuery, sessionQuery } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import styles from './tools.module.css';
import { combinationOf, type EffectName, type ToolName, wordsOfUse } from './tools.ts';

const settingsPath: string = '/integrations/connections';

/** What an agent reads, knows and changes, and what of it a person confirms. */
export function Combination({ tools }: { readonly tools: readonly ToolName[] }) {
  const { data: ai } = useQuery(aiQuery);
  const { data: session } = useQuery(sessionQuery);
  const { knowsAppointments, effects, confirmed } = combinationOf(tools, ai?.confirm ?? []);
  const changesSomething = effects.length > 0;
  return (
    <section className={styles.part}>
      <h3 className={styles.heading}>{m.agents_combines()}</h3>
      <ul className={styles.lines}>
        <Line icon={MessageSquareText} text={m.agents_combines_reads()} />
        <Line
          icon={Eye}
          text={knowsAppointments ? m.agents_combines_knows_appointments() : m.agents_combines_knows()}
        />
        <Line
          icon={changesSomething ? PencilLine : Minus}
          text={
            changesSomething ? m.agents_combines_changes({ effects: listed(effects) }) : m.agents_combines_nothing()
          }
        />
      </ul>
      {changesSomething && ai && (
        <p className={styles.soft}>
          {confirmed.length > 0 ? m.agents_confirmed({ effects: listed(confirmed) }) : m.agents_confirmed_none()}{' '}
          {session && session.role !== 'seller' && (
            <Link to={settingsPath as LinkProps['to']}>{m.agents_confirmed_where()}</Link>
          )}
        </p>
      )}
    </section>
  );
}

const Line = ({ icon: Icon, text }: { readonly icon: LucideIcon; readonly text: string }) => (
  <li>
    <Icon size={14} aria-hidden />
    <span>{text}</span>
  </li>
);

/** Effects within a sentence. */
const listed = (effects: readonly EffectName[]): string =>
  new Intl.ListFormat(getLocale(), { type: 'unit', style: 'short' }).format(
    effects.map((effect) => wordsOfUse(effect).toLocaleLowerCase(getLocale())),
  );
