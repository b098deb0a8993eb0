import { isObject } from '#kernel'
import type { Json, JsonObject } from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'
import { lose } from '../translation.ts'

const ADDRESS = /^[^/]+:\/\/([\da-zA-Z.-]+|\[[\da-fA-F:]+\])(:\d+)?/

export function toFileLogger(conf: JsonObject, tell: Tell): JsonObject {
  tell('path', 'is below the directory of the other gateway there, not below data_dir')
  return withFormat(conf, tell)
}

export function toHttpLogger(conf: JsonObject, tell: Tell): JsonObject | undefined {
  const { uri } = conf
  const plain = ADDRESS.test(String(uri)) ? String(uri) : new URL(String(uri)).href
  if (plain !== uri) tell('uri', `is written as ${plain}`)
  if (!ADDRESS.test(plain)) {
    return lose(tell, 'has no equal: there the host of uri holds letters, digits, dots and hyphens')
  }
  return { ...withFormat(conf, tell), uri: plain }
}

/** There every value is a text, and an entry cannot be made of any other. */
export function withFormat(conf: JsonObject, tell: Tell): JsonObject {
  const { log_format: format } = conf
  if (!isObject<Json>(format)) return conf
  const entries = Object.entries(format)
  if (entries.every(([, value]) => typeof value === 'string')) return conf
  tell('log_format', 'holds texts only there: numbers and truth values become such')
  const texts = entries.filter(([, value]) => value !== null)
  const written = Object.fromEntries(texts.map(([name, value]) => [name, String(value)]))
  return { ...conf, log_format: written }
}
