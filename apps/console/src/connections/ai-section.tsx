import { useMutation } from '@tanstack/react-query';
import { Bot, Gauge, Plus, Power, Unplug, UserRoundCheck } from 'lucide-react';
import { useState } from 'react';
import { wordsOfUse } from '../agents/tools.ts';
import { dataOf, type ModelConnection, platform, type StoreAi } from '../api/platform.ts';
import { aiQuery, keep } from '../api/queries.ts';
import { m } from '../paraglide/messages.js';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';
import { Confirm } from '../ui/confirm.tsx';
import { Facts } from '../ui/facts.tsx';
import { Moment } from '../ui/moment.tsx';
import { moneyText, numberText } from '../ui/numbers.ts';
import { relativeTime } from '../ui/time.ts';
import { say, sayFailure } from '../ui/toasts.tsx';
import { AiConfirmed } from './ai-confirmed.tsx';
import { AiLimits } from './ai-limits.tsx';
import { ConnectModel } from './connect-model.tsx';
import styles from './connections.module.css';
import { type ModelProvider, modelProviderWords, wordsOfModelFailure } from './model-providers.ts';

type AiSectionProps = { readonly ai: StoreAi; readonly mayChange: boolean };

/** Which models write the answers of the store, and whether they do. */
export function AiSection({ ai: { ai, connections, budget, confirm }, mayChange }: AiSectionProps) {
  const [connecting, setConnecting] = useState(false);
  const [limiting, setLimiting] = useState(false);
  const [confirming, setConfirming] = useState(false);
  const [leaving, setLeaving] = useState<ModelProvider>();
  const change = useMutation({
    mutationFn: (on: boolean) => dataOf(platform.PATCH('/ai', { body: { ai: on } })),
    onSuccess: async (next) => {
      await keep(aiQuery, next);
      say(next.ai ? m.connections_ai_was_switched_on() : m.connections_ai_was_switched_off());
    },
    onError: sayFailure,
  });
  const disconnect = async () => {
    if (!leaving) return;
    const path = { provider: leaving };
    await keep(aiQuery, await dataOf(platform.DELETE('/ai/connections/{provider}', { params: { path } })));
    say(m.connections_ai_was_disconnected());
  };
  const isConnected = connections.length > 0;
  return (
    <section className={styles.card} aria-label={m.connections_ai()}>
      <div className={styles.head}>
        <Bot size={18} strokeWidth={1.75} aria-hidden />
        <h2>{m.connections_ai()}</h2>
        <State isOn={ai} isConnected={isConnected} />
      </div>
      <p className={styles.soft}>{isConnected ? m.connections_ai_about() : m.connections_ai_none()}</p>
      {connections.map((connection, place) => (
        <Connection
          key={connection.provider}
          connection={connection}
          isDefault={place === 0 && connections.length > 1}
          onDisconnect={mayChange ? () => setLeaving(connection.provider) : undefined}
        />
      ))}
      {isConnected && <Budget budget={budget} />}
      <Facts
        facts={[
          [m.connections_ai_confirm_what(), confirm.map(wordsOfUse).join(' · ') || m.connections_ai_confirm_nothing()],
        ]}
      />
      {mayChange && (
        <div className={styles.actions}>
          {(isConnected || ai) && (
            <Button kind={ai ? 'plain' : 'main'} busy={change.isPending} onClick={() => change.mutate(!ai)}>
              <Power size={14} aria-hidden />
              {ai ? m.connections_ai_switch_off() : m.connections_ai_switch_on()}
            </Button>
          )}
          <Button kind={isConnected ? 'plain' : 'main'} onClick={() => setConnecting(true)}>
            <Plus size={14} aria-hidden />
            {m.connections_ai_connect()}
          </Button>
          {isConnected && (
            <Button onClick={() => setLimiting(true)}>
              <Gauge size={14} aria-hidden />
              {m.connections_ai_limits()}
            </Button>
          )}
          <Button onClick={() => setConfirming(true)}>
            <UserRoundCheck size={14} aria-hidden />
            {m.connections_ai_confirm_change()}
          </Button>
        </div>
      )}
      {!mayChange && <p className={styles.soft}>{m.connections_owner_only()}</p>}
      <AiLimits budget={budget} open={limiting} onClose={() => setLimiting(false)} />
      <AiConfirmed confirm={confirm} open={confirming} onClose={() => setConfirming(false)} />
      <ConnectModel open={connecting} onClose={() => setConnecting(false)} />
      <Confirm
        open={leaving !== undefined}
        onClose={() => setLeaving(undefined)}
        title={m.connections_ai_disconnect_title({ provider: leaving ? modelProviderWords[leaving]() : '' })}
        about={m.connections_ai_disconnect_text()}
        action={m.connections_disconnect()}
        act={disconnect}
      />
    </section>
  );
}

/** What the AI has used today of what it may use. */
function Budget({ budget }: { readonly budget: StoreAi['budget'] }) {
  const { calls, most_calls, spent, most_spent, tokens, most_tokens, currency, reached_at } = budget;
  return (
    <>
      {reached_at !== null && (
        <p className={styles.reason} data-kind="warn">
          {m.connections_ai_reached({ when: relativeTime(reached_at, Date.now()) })}
        </p>
      )}
      <Facts
        facts={[
          [
            m.connections_ai_calls_today(),
            m.connections_ai_of({ used: numberText(calls), most: numberText(most_calls) }),
          ],
          [
            m.connections_ai_tokens_today(),
            most_tokens === null
              ? numberText(tokens)
              : m.connections_ai_of({ used: numberText(tokens), most: numberText(most_tokens) }),
          ],
          spent !== null && [
            m.connections_ai_spent_today(),
            most_spent === null
              ? moneyText(spent, currency)
              : m.connections_ai_of({ used: moneyText(spent, currency), most: moneyText(most_spent, currency) }),
          ],
        ]}
      />
    </>
  );
}

function State({ isOn, isConnected }: { readonly isOn: boolean; readonly isConnected: boolean }) {
  if (!isConnected) return <Badge>{m.connections_not_connected()}</Badge>;
  return isOn ? (
    <Badge kind="good">{m.connections_ai_on()}</Badge>
  ) : (
    <Badge kind="warn">{m.connections_ai_off()}</Badge>
  );
}

type ConnectionProps = {
  readonly connection: ModelConnection;
  readonly isDefault: boolean;
  readonly onDisconnect: (() => void) | undefined;
};

function Connection({ connection, isDefault, onDisconnect }: ConnectionProps) {
  const { provider, url, model, connected_at, failure } = connection;
  const name = modelProviderWords[provider]();
  const isRejected = failure?.kind === 'rejected';
  return (
    <section className={styles.connection} aria-label={name}>
      <div className={styles.head}>
        <h3>{name}</h3>
        {isDefault && <Badge>{m.connections_ai_default()}</Badge>}
        {!failure ? (
          <Badge kind="good">{m.connections_connected()}</Badge>
        ) : isRejected ? (
          <Badge kind="bad">{m.connections_needs_attention()}</Badge>
        ) : (
          <Badge kind="warn">{m.connections_failing()}</Badge>
        )}
        {onDisconnect && (
          <Button
            kind="bare"
            className={styles.end}
            aria-label={m.connections_ai_disconnect_of({ provider: name })}
            onClick={onDisconnect}
          >
            <Unplug size={14} aria-hidden />
            {m.connections_disconnect()}
          </Button>
        )}
      </div>
      {failure && (
        <p className={styles.reason} data-kind={isRejected ? 'bad' : 'warn'}>
          {wordsOfModelFailure(failure.kind)}{' '}
          {m.connections_ai_fails({ count: failure.times, when: relativeTime(failure.at, Date.now()) })}
        </p>
      )}
      <Facts
        facts={[
          model !== null && [m.connections_ai_model(), model],
          url !== null && [m.connections_ai_url(), url],
          [m.connections_connected(), <Moment key="at" at={connected_at} relative />],
        ]}
      />
    </section>
  );
}
