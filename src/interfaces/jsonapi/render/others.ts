import type { ContentType } from '#content-model'
import type { KnownUser } from '../deps.ts'
import { displayName } from '../query/users.ts'
import { renderResource } from './resource.ts'
import { type Member, renderMembers, type View } from './view.ts'

/** An account: its address only to itself and to administrators (contract §1). */
export function renderUser(user: KnownUser, view: View): string {
  const type = 'user--user'
  const members: Member[] = [
    ['display_name', JSON.stringify(displayName(user))],
    ['drupal_internal__uid', String(user.id)],
    ['langcode', JSON.stringify(view.catalogue.model.defaultLocale)],
    ...(view.maySeeAddress(user) ? [['mail', JSON.stringify(user.email)] as const] : []),
  ]
  const self = `${view.base}/user/user/${user.uuid}`
  const attributes = renderMembers(view, type, members)
  return renderResource({ type, id: user.uuid, self, attributes })
}

/** A content type itself. */
export function renderNodeType(contentType: ContentType, view: View): string {
  const type = 'node_type--node_type'
  const { uuid, bundle, entityType, displayName: name, description } = contentType
  const members: Member[] = [
    ['drupal_internal__type', JSON.stringify(bundle)],
    ['entity_type', JSON.stringify(entityType)],
    ['name', JSON.stringify(name)],
    ['description', JSON.stringify(description)],
    ['langcode', JSON.stringify(view.catalogue.model.defaultLocale)],
    ['status', 'true'],
  ]
  const self = `${view.base}/node_type/node_type/${uuid}`
  const attributes = renderMembers(view, type, members)
  return renderResource({ type, id: uuid, self, attributes })
}
