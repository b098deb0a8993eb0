/** The members that differ from what was opened: only they are sent, so that what somebody else has changed meanwhile stays. */
export function changedMembers<Values extends object>(
  before: Partial<Values>,
  after: Values,
): Partial<Values> {
  const known = new Map<string, unknown>(Object.entries(before))
  const changed = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(known.get(name)),
  )
  return Object.fromEntries(changed) as Partial<Values>
}
