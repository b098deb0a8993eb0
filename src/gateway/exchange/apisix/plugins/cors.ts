import type { JsonObject } from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'

/** One origin of a list there. */
const ORIGIN = /^\w+:\/\/[^,]+$/
const WORDS = ['*', '**', 'null']
/** RFC 6761 §6.4: no site has such a name. */
const NOBODY = 'http://nobody.invalid'

/** Lists there have no spaces, and hold fewer sorts of origins. */
export function toCors(given: JsonObject, tell: Tell): JsonObject {
  const conf = { ...given }
  for (const member of ['allow_origins', 'timing_allow_origins']) {
    const list = conf[member]
    if (typeof list === 'string') conf[member] = toOrigins(list, member, tell)
  }
  if (conf['allow_origins_by_regex'] !== undefined && conf['allow_origins'] !== NOBODY) {
    tell(
      'allow_origins',
      `is ${NOBODY}: early versions let everybody in who fits it or a pattern, here the patterns alone decide`,
    )
    conf['allow_origins'] = NOBODY
  }
  if (conf['allow_credential'] === true && conf['timing_allow_origins'] === '*') {
    tell('timing_allow_origins', 'is **, since beside credentials there is no * there')
    conf['timing_allow_origins'] = '**'
  }
  return conf
}

function toOrigins(list: string, member: string, tell: Tell): string {
  const items = list
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  const [only = ''] = items
  const kept = items.filter((item) => ORIGIN.test(item))
  const text = items.length === 1 && WORDS.includes(only) ? only : kept.join(',') || NOBODY
  if (text !== list) {
    const missing = items.filter((item) => !text.split(',').includes(item))
    const without = missing.length === 0 ? '' : `; it cannot hold ${missing.join(', ')} there`
    tell(member, `is written as ${text}${without}`)
  }
  return text
}
