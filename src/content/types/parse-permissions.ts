import { OPERATIONS, type Operation, type Permissions, usualPermissions } from '../permissions.ts'
import type { ContentTypeChangeBody, NewContentTypeBody } from './schemas.ts'

type Given = Pick<NewContentTypeBody, 'publicRead' | 'permissions'>

/** What a definition says of its permissions; what it leaves out is as usual. */
export function parsePermissions(
  { publicRead, permissions = {} }: Given,
  publicReadDefault: boolean,
): Permissions {
  const usual = usualPermissions(publicRead ?? publicReadDefault)
  return {
    public: inOrder(permissions.public ?? usual.public),
    read: inOrder(permissions.read ?? usual.read),
    write: inOrder(permissions.write ?? usual.write),
  }
}

/** `publicRead` is a short form and may say the same; undefined when it does, or says nothing. */
export function contradictionIn({ publicRead, permissions }: Given): string | undefined {
  if (publicRead === undefined || permissions?.public === undefined) return undefined
  if (permissions.public.includes('read') === publicRead) return undefined
  return 'contradicts permissions.public, which says who may read without a key; give one of the two'
}

/** After a PATCH: lists that are not given stay, and `publicRead` alone changes who may read. */
export function mergePermissions(
  stored: Permissions,
  { publicRead, permissions = {} }: Pick<ContentTypeChangeBody, 'publicRead' | 'permissions'>,
): Given {
  const kept = stored.public.filter((each) => each !== 'read')
  const short =
    publicRead === undefined ? {} : { public: publicRead ? [...kept, 'read' as const] : kept }
  const merged = { ...stored, ...short, ...permissions }
  const lists = {
    public: [...merged.public],
    read: [...merged.read],
    write: [...merged.write],
  }
  return { permissions: lists, publicRead: publicRead ?? lists.public.includes('read') }
}

function inOrder(operations: readonly Operation[]): readonly Operation[] {
  return OPERATIONS.filter((each) => operations.includes(each))
}
