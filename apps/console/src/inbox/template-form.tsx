import { Clock } from 'lucide-react';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { MessageTemplate } from '../api/platform.ts';
import { m } from '../paraglide/messages.js';
import { isIncomplete, noTemplate, templateOf, textOf } from '../templates/template.ts';
import { TemplateFields } from '../templates/template-fields.tsx';
import { Button } from '../ui/button.tsx';
import { Bad } from '../ui/page.tsx';
import { useZone } from '../ui/store-zone.tsx';
import { fullTime, relativeTime } from '../ui/time.ts';
import { Leaving, useLeave, useUnsaved } from '../ui/unsaved.tsx';
import styles from './composer.module.css';

type TemplateFormProps = {
  /** When the reply window closed. Null: the lead has never written or called. */
  readonly expiredAt: string | null;
  /** `text`: what the customer will read. */
  readonly onSend: (text: string, template: MessageTemplate) => void;
};

/** Says why free text is not accepted, and sends a template instead. */
export function TemplateForm({ expiredAt, onSend }: TemplateFormProps) {
  const zone = useZone();
  const [open, setOpen] = useState(false);
  const send: TemplateFormProps['onSend'] = (text, template) => {
    setOpen(false);
    onSend(text, template);
  };
  return (
    <Leaving>
      <div className={styles.closed}>
        <p className={styles.closedText}>
          <Clock size={14} aria-hidden />
          <span title={expiredAt ? fullTime(expiredAt, zone) : undefined}>
            {expiredAt
              ? m.inbox_window_closed({ when: relativeTime(expiredAt, Date.now()) })
              : m.inbox_window_never_open()}
          </span>
          {!open && <Button onClick={() => setOpen(true)}>{m.inbox_use_template()}</Button>}
        </p>
        {open && <Fields onSend={send} onClose={() => setOpen(false)} />}
      </div>
    </Leaving>
  );
}

type FieldsProps = Pick<TemplateFormProps, 'onSend'> & { readonly onClose: () => void };

function Fields({ onSend, onClose }: FieldsProps) {
  const leave = useLeave();
  const unsaved = useUnsaved();
  const first = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(noTemplate);
  const [isChecked, setChecked] = useState(false);
  const template = templateOf(draft);
  // The person has just asked for this form.
  useEffect(() => first.current?.focus(), []);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    setChecked(true);
    if (template && !isIncomplete(draft)) onSend(textOf(draft), template);
  };
  return (
    <form className={styles.template} onSubmit={submit} noValidate {...unsaved}>
      <TemplateFields ref={first} draft={draft} onChange={setDraft} isChecked={isChecked} />
      {isChecked && !template && <Bad>{m.template_choose_one()}</Bad>}
      <div className={styles.templateFoot}>
        <Button onClick={() => leave(onClose)}>{m.cancel()}</Button>
        <Button type="submit" kind="main">
          {m.inbox_template_send()}
        </Button>
      </div>
    </form>
  );
}
