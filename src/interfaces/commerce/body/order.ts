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

/** `{"items":[{"order_item_id":1,"qty":2}]}`; no body says as much as an empty one. */
export function piecesIn(body: unknown): Given {
  const given = withSnakeNames(body ?? {})
  if (!isObject(given)) throw refused(wrongType('body', given, 'an object'))
  return given
}

function memberIn(body: unknown, name: string): Given {
  const given = withSnakeNames(body)
  const member = isObject(given) ? given[name] : undefined
  if (member === undefined || member === null) throw refused(missing(name))
  if (!isObject(member)) throw refused(wrongType(name, member, 'an object'))
  return member
}
