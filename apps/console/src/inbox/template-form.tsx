import { Clock } from 'lucide-react';
import { type FormEvent, useState } from 'react';
import { m } from '../paraglide/messages.js';
import { getLocale } from '../paraglide/runtime.js';
import { Button } from '../ui/button.tsx';
import { Bad } from '../ui/page.tsx';
import { useZone } from '../ui/store-zone.tsx';
import { fullTime, relativeTime } from '../ui/time.ts';
import { Leaving, useLeave, useUnsaved } from '../ui/unsaved.tsx';
import styles from './composer.module.css';
import type { Template } from './outgoing.ts';
import { readTemplate } from './template.ts';

type TemplateFormProps = {
  /** When the reply window closed. Null: the lead has never written or called. */
  readonly expiredAt: string | null;
  readonly onSend: (template: Template) => void;
};

/** Says why free text is not accepted, and sends a template instead. */
export function TemplateForm({ expiredAt, onSend }: TemplateFormProps) {
  const zone = useZone();
  const [open, setOpen] = useState(false);
  const send: TemplateFormProps['onSend'] = (template) => {
    setOpen(false);
    onSend(template);
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
  const [fault, setFault] = useState<string>();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const textOf = (name: string) => String(form.get(name) ?? '').trim();
    const [name, language] = [textOf('name'), textOf('language')];
    if (name === '' || language === '') return setFault(m.inbox_template_missing());
    onSend(readTemplate(name, language, textOf('values')));
  };
  return (
    <form className={styles.template} onSubmit={submit} noValidate {...unsaved}>
      <label>
        <span>{m.inbox_template_name()}</span>
        {/* biome-ignore lint/a11y/noAutofocus: the person has just asked for this form */}
        <input name="name" maxLength={512} autoComplete="off" autoFocus />
      </label>
      <label>
        <span>{m.inbox_template_language()}</span>
        <input name="language" maxLength={20} autoComplete="off" defaultValue={getLocale().replace('-', '_')} />
      </label>
      <label className={styles.wide}>
        <span>{m.inbox_template_values()}</span>
        <textarea name="values" rows={2} />
      </label>
      {fault && <Bad>{fault}</Bad>}
      <div className={styles.templateFoot}>
        <Button onClick={() => leave(onClose)}>{m.cancel()}</Button>
        <Button type="submit" kind="main">
          {m.inbox_template_send()}
        </Button>
      </div>
    </form>
  );
}
