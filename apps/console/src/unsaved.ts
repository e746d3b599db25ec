/** Whether a form has something that is not saved. */
export type IsUnsaved = () => boolean;

/** The forms in the page. `onPage`: not in a dialog, so that another search in the address leaves the form in place. */
const forms = new Map<IsUnsaved, { readonly onPage: boolean }>();

/** @returns takes the form away */
export function addForm(form: IsUnsaved, onPage: boolean): () => void {
  forms.set(form, { onPage });
  return () => void forms.delete(form);
}

/** Whether something in the page is not saved. */
export const hasUnsaved = (): boolean => [...forms.keys()].some((isUnsaved) => isUnsaved());

/** Whether something that is not saved would be lost when only the search in the address changes. */
export const hasUnsavedInDialog = (): boolean => [...forms].some(([isUnsaved, { onPage }]) => !onPage && isUnsaved());

/** What these forms have is given up. */
export function forget(some: Iterable<IsUnsaved> = [...forms.keys()]): void {
  for (const form of some) forms.delete(form);
}
