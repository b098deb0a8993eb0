/**
 * A cache whose size is bounded by the length of its keys, because values are some multiple of it: texts
 * of strangers. What was not used while as many others came is forgotten.
 */
export function createDocumentCache<Value>(mostCharacters: number) {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  let length = 0
  return { find, keep }

  function find(key: string): Value | undefined {
    const known = young.get(key)
    if (known !== undefined) return known
    const before = old.get(key)
    return before === undefined ? undefined : keep(key, before)
  }

  function keep(key: string, value: Value): Value {
    if (length + key.length > mostCharacters / 2) {
      old = young
      young = new Map()
      length = 0
    }
    length += key.length
    young.set(key, value)
    return value
  }
}
