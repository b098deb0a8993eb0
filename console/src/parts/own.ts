/** What was given under a name that people choose: `constructor` is no value of every object. */
export function ownOf<Value>(
  values: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined
}
