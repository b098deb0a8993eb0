import { missing, refused, wrongType } from '#commerce'
import { isObject } from '#kernel'
import { withSnakeNames } from './names.ts'

type Given = Readonly<Record<string, unknown>>

/** `{"entity":{…}}`. */
export function orderIn(body: unknown): Given {
  return memberIn(body, 'entity')
}

/** `{"statusHistory":{…}}`. */
export function commentIn(body: unknown): Given {
  return memberIn(body, 'status_history')
}

function memberIn(body: unknown, name: string): Given {
  const given = withSnakeNames(body)
  const member = isObject(given) ? given[name] : undefined
  if (member === undefined || member === null) throw refused(missing(name))
  if (!isObject(member)) throw refused(wrongType(name, member, 'an object'))
  return member
}
