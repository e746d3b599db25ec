/** A graph: its title, its unit in Grafana's words, and its queries by legend. */
export type Graph = {
  readonly title: string;
  readonly unit?: string;
  readonly queries: Readonly<Record<string, string>>;
};
export type Row = { readonly title: string; readonly graphs: readonly Graph[]; readonly asNumbers?: true };
