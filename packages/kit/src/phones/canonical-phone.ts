/** The digits before the area code, and between it and the local number. */
type Form = readonly [before: string, between: string];

/**
 * Countries in which WhatsApp may give one mobile under either of two numbers. The rules are our own and no library's,
 * because the database stores canonical forms: an update of a library must not change them.
 */
const rules = [
  // Brazil: mobiles got a ninth digit, a 9 in front. WhatsApp still gives older accounts without it.
  rule('[14689][1-9]|2[12478]|3[1-578]|5[13-5]|7[13-79]', '[6-9]\\d{7}', { canonical: ['55', '9'], other: ['55', ''] }),
  // Mexico: abolished the 1 of mobiles. WhatsApp still gives it.
  rule('[2-9]\\d', '\\d{8}', { canonical: ['52', ''], other: ['521', ''] }),
  // Argentina: a mobile has a 9 before the area code for callers abroad, and a 15 behind it for callers at home.
  rule('11', '\\d{8}', { canonical: ['549', ''], other: ['54', '15'] }),
  rule('[23]\\d{2}', '\\d{7}', { canonical: ['549', ''], other: ['54', '15'] }),
  rule('[23]\\d{3}', '\\d{6}', { canonical: ['549', ''], other: ['54', '15'] }),
];

/**
 * The form of a phone (digits with country code) that all its written forms have in common. It is only for matching:
 * what was written stays stored and shown. A phone without a rule is its own canonical form.
 */
export function canonicalPhone(phone: string): string {
  for (const { toCanonical } of rules) {
    const canonical = toCanonical(phone);
    if (canonical !== undefined) return canonical;
  }
  return phone;
}

/** Whether two phones are forms of one. */
export const isSamePhone = (one: string, other: string): boolean => canonicalPhone(one) === canonicalPhone(other);

/** All phones with the canonical form of this one. The canonical form is the first. */
export function phoneForms(phone: string): string[] {
  const canonical = canonicalPhone(phone);
  return [canonical, ...rules.flatMap(({ toOther }) => toOther(canonical) ?? [])];
}

function rule(area: string, local: string, { canonical, other }: { canonical: Form; other: Form }) {
  const rewriter = ([before, between]: Form, to: Form) => {
    const form = new RegExp(`^${before}(${area})${between}(${local})$`);
    return (phone: string): string | undefined => {
      const match = form.exec(phone);
      return match ? `${to[0]}${match[1]}${to[1]}${match[2]}` : undefined;
    };
  };
  return { toCanonical: rewriter(other, canonical), toOther: rewriter(canonical, other) };
}
