import { badParameter } from '../errors.ts'
import type { Named, Target } from '../target.ts'
import { type Parameter, RESOURCE_VERSION } from './parameters.ts'

const READS = ['GET', 'HEAD']
const SHOWING = ['include', 'fields']
const LISTING = ['filter', 'sort', 'page']
const KNOWN = [...LISTING, ...SHOWING, RESOURCE_VERSION]

/** Which parameters of this dialect have an effect on a method at a place. */
export function effectiveAt(method: string, target: Target): readonly string[] {
  return READS.includes(method) ? effectiveOnReading(target) : effectiveOnWriting(method, target)
}

function effectiveOnReading(target: Target): readonly string[] {
  switch (target.kind) {
    case 'entryPoint':
    case 'upload':
      return []
    case 'collection':
      return KNOWN
    case 'individual':
      return [...SHOWING, RESOURCE_VERSION]
    case 'related':
      return isListed(target) ? KNOWN : ['page', ...SHOWING, RESOURCE_VERSION]
    case 'relationship':
      return ['page', ...SHOWING, RESOURCE_VERSION]
  }
}

/** Who made an entry, its type and the file of a media item are one each, and are not looked for. */
function isListed({ resource, name }: Named): boolean {
  return resource.kind === 'entry' && name !== 'uid' && name !== 'node_type'
}

/** Links name a revision, and what they lead to can be changed there. */
function effectiveOnWriting(method: string, target: Target): readonly string[] {
  const isOfEntry = 'resource' in target && target.resource.kind === 'entry' && 'id' in target
  const isShown = method === 'POST' || (method === 'PATCH' && target.kind === 'individual')
  const pages = method === 'POST' && target.kind === 'relationship' ? ['page'] : []
  return [...(isShown ? SHOWING : []), ...pages, ...(isOfEntry ? [RESOURCE_VERSION] : [])]
}

/** What a request says has an effect or is refused: who filters a single resource means something else. */
export function refuseIdle(method: string, target: Target, parameters: readonly Parameter[]): void {
  const effective = effectiveAt(method, target)
  const idle = parameters.find(({ base }) => KNOWN.includes(base) && !effective.includes(base))
  if (!idle) return
  const others = effective.length > 0 ? `; what has is ${effective.join(', ')}` : ''
  throw badParameter(
    idle.name,
    `${idle.base} has no effect on ${method} here${others}`,
    'no_effect',
  )
}
