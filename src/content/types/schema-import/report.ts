import { invalid } from '#kernel'
import type { ContentModel } from '../../model.ts'
import {
  componentUid,
  type StoredComponent,
  type StoredModel,
  type StoredType,
} from '../definition.ts'
import type { Edit } from '../design.ts'
import type { Impact } from '../impact.ts'
import { mergeComponent, mergeType } from '../parse-type.ts'
import type { NewComponentBody, NewContentTypeBody } from '../schemas.ts'
import type { TypeFile } from './files.ts'
import type { ImportNote, Translation } from './translate.ts'

/** What an import of schema files does, or would do. */
export interface SchemaReport {
  readonly contentTypes: ImportedSchema[]
  readonly components: ImportedSchema[]
  /** What has no counterpart here. */
  readonly notes: ImportNote[]
  /** What becomes of stored entries. */
  readonly changes: Impact[]
}

interface ImportedSchema {
  readonly name: string
  readonly action: 'create' | 'change'
}

type Puts<Kind extends 'types' | 'components'> = NonNullable<Edit[Kind]>[number]

/** How definitions of one call are read. */
interface Parser {
  type(body: NewContentTypeBody, before: StoredType | null, at: TypeFile['at']): Puts<'types'>
  component(
    body: NewComponentBody,
    before: StoredComponent | null,
    at: TypeFile['at'],
  ): Puts<'components'>
  finish(edit: Edit): Edit
}

/** What is here already gets the attributes of its file besides its own. */
export function editOf(stored: StoredModel, translation: Translation, parse: Parser): Edit {
  const { types, components } = translation
  refuseTwice(translation)
  return parse.finish({
    types: types.map(({ body, at }) => {
      const before = stored.types.find(
        ({ definition }) => definition.singularName === body.singularName,
      )
      const whole = before ? mergeType(before.definition, body) : body
      return parse.type(whole, before ?? null, at)
    }),
    components: components.map(({ body, at }) => {
      const before = stored.components.find(
        ({ definition }) => componentUid(definition) === uidOf(body),
      )
      const whole = before ? mergeComponent(before.definition, body) : body
      return parse.component(whole, before ?? null, at)
    }),
  })
}

/** One of the two would be lost. */
function refuseTwice({ types, components }: Translation) {
  const named = [
    ...types.map(({ body, at }) => ({ name: body.singularName, at })),
    ...components.map(({ body, at }) => ({ name: uidOf(body), at })),
  ]
  const seen = new Set<string>()
  const twice = named.filter(({ name }) => seen.size === seen.add(name).size)
  if (twice.length === 0) return
  throw invalid(
    twice.map(({ name, at }) => ({ path: at, rule: 'unique', message: `${name} is there twice` })),
  )
}

export function reportOf(
  { types, components, notes }: Translation,
  before: Pick<ContentModel, 'findType' | 'findComponent'>,
  changes: readonly Impact[],
): SchemaReport {
  return {
    contentTypes: types.map(({ body: { singularName: name } }) => {
      return { name, action: before.findType(name) ? 'change' : 'create' }
    }),
    components: components.map(({ body }) => {
      const name = uidOf(body)
      return { name, action: before.findComponent(name) ? 'change' : 'create' }
    }),
    notes: [...notes],
    changes: [...changes],
  }
}

function uidOf({ category = 'default', name }: NewComponentBody): string {
  return `${category}.${name}`
}
