/** What the address of the audit log keeps. */
export type AuditSearch = { readonly actor?: string | undefined };

export const readAuditSearch = ({ actor }: Record<string, unknown>): AuditSearch => ({
  actor: typeof actor === 'string' ? actor : undefined,
});
