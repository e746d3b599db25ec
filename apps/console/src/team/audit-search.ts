/** What the address of the audit log keeps. */
export type AuditSearch = { readonly actor?: string | undefined; readonly action?: string | undefined };

export const readAuditSearch = ({ actor, action }: Record<string, unknown>): AuditSearch => ({
  actor: typeof actor === 'string' ? actor : undefined,
  action: typeof action === 'string' ? action : undefined,
});
