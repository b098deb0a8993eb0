import { writerOf } from '#access'
import {
  type Entry,
  type EntryInput,
  type Included,
  isGenerated,
  type Part,
  type Written,
} from '#content'
import { ALL_OF_THEM, COMPONENT_MEMBER, UNSEEN } from '#content-dialect'
import type { Tx } from '#db'
import type { ParsedInput } from '../body/input.ts'
import { unknownResource } from '../errors.ts'
import { includesFor, NOTHING } from '../query/include.ts'
import { createFinder, fixed } from '../read/find.ts'
import type { ReadDeps } from '../read.ts'
import type { Asked } from '../request.ts'
import type { EntryResource } from '../target/catalogue.ts'

/** A new language of a document begins with what it is translated from. */
export function createTranslation({ content }: Pick<ReadDeps, 'content'>) {
  const finder = createFinder(content)
  return { create }

  async function create(
    asked: Asked,
    resource: EntryResource,
    source: Entry,
    { input, status }: ParsedInput,
    tx?: Tx,
  ): Promise<Written> {
    const values = { ...(await valuesOf(asked, resource, source)), ...input.values }
    const made: EntryInput = {
      ...input,
      values,
      documentId: source.documentId,
      locale: asked.prefixed ?? null,
    }
    const isDraft = status === undefined ? source.status === 'draft' : !status
    const options = { status: isDraft ? 'draft' : 'published', tx } as const
    return content.entries.create(writerOf(asked.request), resource.type, made, options)
  }

  /** All that the source shows; what must be unique is left to be made or said anew. */
  async function valuesOf(asked: Asked, resource: EntryResource, source: Entry) {
    const { catalogue } = asked
    const here = { ...asked, viewer: UNSEEN, locale: source.locale ?? asked.locale }
    const rules = { catalogue, viewer: UNSEEN, fields: new Map() }
    const shown = includesFor(rules, resource, NOTHING, false)
    const include = shown.map((each) => ({ ...each, limit: ALL_OF_THEM }))
    const entry = await finder.find(here, resource, source.documentId, 'working', fixed(include))
    if (!entry) throw unknownResource()
    const stored = entry.values()
    const values: Record<string, unknown> = {}
    for (const attribute of resource.type.attributes) {
      const { name } = attribute
      if (isGenerated(attribute) || (attribute.unique && attribute.localized)) continue
      const included = entry.included.get(name)
      if (included) values[name] = toInput(included)
      else if (Object.hasOwn(stored, name))
        values[name] = withFormat(stored[name], entry.formats[name])
    }
    return values
  }
}

function withFormat(value: unknown, format: string | undefined): unknown {
  return format === undefined || value === null ? value : { value, format }
}

function toInput(included: Included): unknown {
  switch (included.kind) {
    case 'ids':
      return included.ids.map(({ documentId }) => documentId)
    case 'part':
      return included.part && partInput(included.part)
    case 'parts':
      return included.parts.map(partInput)
    case 'zone':
      return included.parts.map((part) => ({
        [COMPONENT_MEMBER]: part.component.uid,
        ...partInput(part),
      }))
    default:
      return undefined
  }
}

/** Without its id: the translation gets a component of its own. */
function partInput({ values, included }: Part): Readonly<Record<string, unknown>> {
  const links = [...included].map(([name, each]) => [name, toInput(each)] as const)
  return { ...values(), ...Object.fromEntries(links) }
}
