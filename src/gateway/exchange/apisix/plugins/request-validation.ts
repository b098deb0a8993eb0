import { isObject } from '#kernel'
import type { Json, JsonObject } from '../../../resources/values.ts'
import type { Tell } from '../../items.ts'
import { lose } from '../translation.ts'

/** Rules of JSON Schema that are not looked at there: what is sent would not be checked. */
const UNKNOWN = [
  ...['dependentRequired', 'dependentSchemas', 'maxContains', 'minContains', 'prefixItems'],
]
const FORMATS = ['email', 'hostname', 'ipv4', 'ipv6']
/** Maps of schemas; every other object in a schema is one. */
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions']
const VALUES = ['const', 'default', 'enum', 'examples', 'required']

export function toRequestValidation(conf: JsonObject, tell: Tell): JsonObject | undefined {
  const { header_schema: headers = {}, body_schema: body = {} } = conf
  const rules = [...new Set([...unknownIn(headers), ...unknownIn(body)])]
  if (rules.length === 0) return conf
  return lose(tell, `has no equal: there nobody looks at ${rules.join(', ')}`)
}

function unknownIn(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(unknownIn)
  if (!isObject<Json>(schema)) return []
  return Object.entries(schema).flatMap(([name, value]) => {
    if (UNKNOWN.includes(name)) return [name]
    if (VALUES.includes(name)) return []
    if (name === 'format') return FORMATS.includes(String(value)) ? [] : [`the format ${value}`]
    const isMap = MAPS.includes(name) && isObject<Json>(value)
    return isMap ? Object.values(value).flatMap(unknownIn) : unknownIn(value)
  })
}
