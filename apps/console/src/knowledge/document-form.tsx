import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type RefObject, useRef, useState } from 'react';
import { faultOf, wordsOf } from '../api/failure.ts';
import { ChangedMeanwhile } from '../api/save-change.ts';
import { useSave } from '../api/use-save.ts';
import { m } from '../paraglide/messages.js';
import { Dialog } from '../ui/dialog.tsx';
import { CheckField, TextArea, TextField } from '../ui/field.tsx';
import { DialogForm } from '../ui/form.tsx';
import { say } from '../ui/toasts.tsx';
import { type DocumentText, type NamedDocument, putDocument, saveDocument } from './save-document.ts';

/** The most that the server takes. It counts bytes, so a text of other letters may be refused before. */
const longestContent = 131_072;

type DialogProps = { readonly open: boolean; readonly onClose: () => void };

export function CreateDocument({ open, onClose }: DialogProps) {
  const title = useRef<HTMLInputElement>(null);
  // A second attempt after an answer that was lost changes the same document.
  const [name, setName] = useState(() => crypto.randomUUID());
  const create = useMutation({
    mutationFn: (document: DocumentText) => putDocument(name, document),
    onSuccess: (_, document) => {
      say(m.knowledge_was_created(document));
      onClose();
    },
  });
  const closed = () => {
    create.reset();
    setName(crypto.randomUUID());
  };
  return (
    <Dialog
      open={open}
      onClose={onClose}
      onClosed={closed}
      title={m.knowledge_create()}
      about={m.knowledge_create_text()}
      initialFocus={title}
    >
      <DocumentForm
        titleRef={title}
        action={m.knowledge_create()}
        busy={create.isPending}
        error={create.error}
        onSubmit={create.mutate}
        onClose={onClose}
      />
    </Dialog>
  );
}

export function EditDocument({ document, open, onClose }: DialogProps & { readonly document: NamedDocument }) {
  const title = useRef<HTMLInputElement>(null);
  return (
    <Dialog open={open} onClose={onClose} title={document.title} initialFocus={title}>
      <EditForm document={document} titleRef={title} onClose={onClose} />
    </Dialog>
  );
}

type EditFormProps = Pick<DocumentFormProps, 'titleRef' | 'onClose'> & { readonly document: NamedDocument };

function EditForm({ document, titleRef, onClose }: EditFormProps) {
  const [first] = useState(document);
  const edit = useSave({
    first,
    // Only what was changed, so that it does not undo what another person changes meanwhile.
    save: (seen, { title, content, is_active }: DocumentText) =>
      saveDocument(seen, {
        ...(title === first.title ? {} : { title }),
        ...(content === first.content ? {} : { content }),
        ...(is_active === first.is_active ? {} : { is_active }),
      }),
    onSaved: ({ title }) => {
      say(m.knowledge_was_saved({ title }));
      onClose();
    },
  });
  return (
    <DocumentForm
      document={first}
      titleRef={titleRef}
      action={edit.error instanceof ChangedMeanwhile ? m.settings_save_mine() : m.knowledge_save()}
      busy={edit.isPending}
      error={edit.error}
      onSubmit={edit.mutate}
      onClose={onClose}
    />
  );
}

type DocumentFormProps = {
  readonly document?: DocumentText;
  readonly titleRef: RefObject<HTMLInputElement | null>;
  readonly action: string;
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSubmit: (document: DocumentText) => void;
  readonly onClose: () => void;
};

function DocumentForm({ document, titleRef, action, busy, error, onSubmit, onClose }: DocumentFormProps) {
  const [faults, setFaults] = useState<{ title?: string; content?: string }>({});
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { elements } = event.currentTarget;
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name)).replaceAll('\r\n', '\n').trim();
    const written = { title: text('title'), content: text('content'), is_active: form.has('is_active') };
    const found = {
      ...(written.title === '' ? { title: m.knowledge_title_missing() } : {}),
      ...(written.content === '' ? { content: m.knowledge_content_missing() } : {}),
    };
    setFaults(found);
    const [first] = Object.keys(found);
    if (first) return (elements.namedItem(first) as HTMLElement).focus();
    if (!busy) onSubmit(written);
  };
  const refused = { title: faultOf(error, '#/title'), content: faultOf(error, '#/content') };
  const isConflict = error instanceof ChangedMeanwhile;
  const isAtField = refused.title !== undefined || refused.content !== undefined;
  return (
    <DialogForm
      onSubmit={submit}
      onClose={onClose}
      action={action}
      busy={busy}
      bad={isConflict ? m.booking_changed_meanwhile() : error != null && !isAtField ? wordsOf(error) : undefined}
    >
      <TextField
        label={m.knowledge_title()}
        error={faults.title ?? refused.title}
        ref={titleRef}
        name="title"
        maxLength={200}
        defaultValue={document?.title}
      />
      <TextArea
        label={m.knowledge_content()}
        hint={m.knowledge_content_hint()}
        error={faults.content ?? refused.content}
        name="content"
        rows={10}
        maxLength={longestContent}
        defaultValue={document?.content}
      />
      <CheckField label={m.knowledge_use()} name="is_active" defaultChecked={document?.is_active ?? true} />
    </DialogForm>
  );
}
