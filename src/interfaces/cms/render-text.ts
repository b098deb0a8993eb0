import { type ContentModel, type ContentType, type EntryText, isToMany } from '#content'
import type { PartShape, Shape } from './query/shape.ts'
import { MAX_RELATED } from './query/wishes.ts'
import type { Form } from './render.ts'

type Parts = EntryText[number][]

/** The text that `render` makes of an entry, for the store to make; null where it needs the entry. */
export function entryText(
  model: ContentModel,
  type: ContentType,
  shape: Shape,
  form: Form,
): EntryText | null {
  const included = includedTexts(model, type, shape, form)
  const own = shape.fields ? someMembers(type, shape.fields) : allMembers(type)
  if (!included || own.length === 0) return null
  const ids: Parts =
    form === 'nested'
      ? ['{"id":', { show: 'id' }, ',"attributes":{']
      : ['{"id":', { show: 'id' }, ',"documentId":"', { show: 'documentId' }, '",']
  const end = form === 'nested' ? '}}' : '}'
  return [...ids, ...own, ...included, end]
}

function allMembers(type: ContentType): Parts {
  return [{ show: 'members' }, ...separated(systemMembers(type).map(([, parts]) => parts))]
}

/** In the order in which all are shown. */
function someMembers(type: ContentType, fields: ReadonlySet<string>): Parts {
  const scalars = type.attributes
    .filter(({ name, type: kind }) => fields.has(name) && !REFERRING.has(kind))
    .map(({ name }): Parts => [`"${name}":`, { member: name, none: 'null' }])
  const system = systemMembers(type).filter(([name]) => fields.has(name))
  return separated([...scalars, ...system.map(([, parts]) => parts)])
}

const REFERRING: ReadonlySet<string> = new Set(['relation', 'media', 'component'])

function systemMembers({ draftAndPublish, localized }: ContentType): [name: string, Parts][] {
  const published: Parts = ['"publishedAt":', { show: 'publishedAtMs' }]
  const locale: Parts = ['"locale":', { show: 'locale' }]
  return [
    ['createdAt', ['"createdAt":', { show: 'createdAtMs' }]],
    ['updatedAt', ['"updatedAt":', { show: 'updatedAtMs' }]],
    ...(draftAndPublish ? [['publishedAt', published] satisfies [string, Parts]] : []),
    ...(localized ? [['locale', locale] satisfies [string, Parts]] : []),
  ]
}

function separated(members: readonly Parts[]): Parts {
  return members.flatMap((parts, at) => (at === 0 ? parts : [',', ...parts]))
}

function includedTexts(
  model: ContentModel,
  type: ContentType,
  shape: Shape,
  form: Form,
): Parts | null {
  const parts: Parts = []
  for (const [name, part] of shape.parts) {
    const attribute = type.attribute.get(name)
    const text = relatedText(model, type, name, part, form)
    if (!text || attribute?.type !== 'relation') return null
    const [open, close] = form === 'nested' ? ['{"data":', '}'] : ['', '']
    const [begin, end] = isToMany(attribute) ? ['[', ']'] : ['', '']
    parts.push({
      ...{ included: name, text, none: isToMany(attribute) ? null : 'null', absent: '' },
      before: `,"${name}":${open}${begin}`,
      after: `${end}${close}`,
      // A list cut at its limit says how long it is.
      most: MAX_RELATED,
    })
  }
  return parts
}

/** Of relations; files and components are rendered. */
function relatedText(
  model: ContentModel,
  type: ContentType,
  name: string,
  shape: PartShape,
  form: Form,
): EntryText | null {
  const attribute = type.attribute.get(name)
  if (attribute?.type !== 'relation') return null
  const target = model.findType(attribute.target)
  return target ? entryText(model, target, shape, form) : null
}
