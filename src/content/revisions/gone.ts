import type { SqlDialect } from '#db'
import type { Body } from '../entries/body.ts'
import type { Trx } from '../entries/store/statements.ts'
import type { ContentModel, FieldSet } from '../model.ts'
import { mayRead } from '../permissions.ts'
import type { Viewer } from '../viewer.ts'
import type { Misfit } from './kept-body.ts'
import { findFiles, findVariants } from './store.ts'

interface Gone {
  /** documentIds and uuids of files that do not exist any more. */
  readonly targets: ReadonlySet<string>
  readonly misfits: readonly Misfit[]
}

/** Which entries and files a body refers to that are not there any more; told of as far as the viewer may read them. */
export async function goneFrom(
  trx: Trx,
  dialect: Pick<SqlDialect, 'isOneOf'>,
  model: Pick<ContentModel, 'findType'>,
  type: FieldSet,
  body: Body,
  viewer: Viewer,
): Promise<Gone> {
  const links = [...linksIn(type, body, [])]
  const of = (isMedia: boolean) =>
    links.flatMap(({ target, targets }) => ((target === 'files') === isMedia ? targets : []))
  const variants = await findVariants(trx, dialect, of(false))
  const files = await findFiles(trx, dialect, of(true))
  const there = new Set([
    ...variants.map((row) => `${row.type_no} ${row.document_id}`),
    ...files.map((row) => `files ${row.uuid}`),
  ])
  const gone = new Set<string>()
  const misfits = links.flatMap(({ path, target, targets }) => {
    const targetType = target === 'files' ? undefined : model.findType(target)
    const of = target === 'files' ? target : targetType?.no
    const missing = targets.filter((each) => !there.has(`${of} ${each}`))
    for (const each of missing) gone.add(each)
    if (missing.length === 0 || (targetType && !mayRead(viewer, targetType))) return []
    const what = target === 'files' ? 'files' : 'entries'
    const problem = `named ${what} that do not exist any more: ${missing.length}`
    return [{ path, message: `${path.join('.')} ${problem}` }]
  })
  return { targets: gone, misfits }
}

interface LinkList {
  readonly path: readonly (string | number)[]
  /** Singular name of a type, or `files`. */
  readonly target: string
  readonly targets: readonly string[]
}

/** All lists of links in a body, also of components in it. */
export function* linksIn(
  { attributes }: FieldSet,
  { links, parts }: Body,
  at: LinkList['path'],
): Generator<LinkList> {
  for (const attribute of attributes) {
    const { no, name } = attribute
    const path = [...at, name]
    const targets = links.get(no)
    const target = attribute.type === 'relation' ? attribute.target : 'files'
    if (targets) yield { path, targets, target }
    for (const [index, part] of (parts.get(no) ?? []).entries()) {
      yield* linksIn(part.component, part.body, [...path, index])
    }
  }
}

/** A body without the links to what is gone. */
export function withoutGone(body: Body, gone: ReadonlySet<string>): Body {
  if (gone.size === 0) return body
  const links = [...body.links].map(([no, targets]) => {
    return [no, targets.filter((target) => !gone.has(target))] as const
  })
  const parts = [...body.parts].map(([no, list]) => {
    return [no, list.map((part) => ({ ...part, body: withoutGone(part.body, gone) }))] as const
  })
  return { ...body, links: new Map(links), parts: new Map(parts) }
}
