import type { ContentModel, ContentType, EntryText } from '#content'
import type { PartShape, Shape } from './query/shape.ts'
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
  if (shape.fields || !included) return null
  const ids: Parts =
    form === 'nested'
      ? ['{"id":', { show: 'id' }, ',"attributes":{']
      : ['{"id":', { show: 'id' }, ',"documentId":"', { show: 'documentId' }, '",']
  const end = form === 'nested' ? '}}' : '}'
  return [...ids, { show: 'members' }, ...systemTexts(type), ...included, end]
}

function systemTexts({ draftAndPublish, localized }: ContentType): Parts {
  const created: Parts = ['"createdAt":', { show: 'createdAtMs' }]
  const updated: Parts = [',"updatedAt":', { show: 'updatedAtMs' }]
  const published: Parts = [',"publishedAt":', { show: 'publishedAtMs' }]
  const locale: Parts = [',"locale":', { show: 'locale' }]
  return [
    ...created,
    ...updated,
    ...(draftAndPublish ? published : []),
    ...(localized ? locale : []),
  ]
}

function includedTexts(
  model: ContentModel,
  type: ContentType,
  shape: Shape,
  form: Form,
): Parts | null {
  const parts: Parts = []
  for (const [name, part] of shape.parts) {
    const text = relatedText(model, type, name, part, form)
    if (!text) return null
    const [open, close] = form === 'nested' ? ['{"data":', '}'] : ['', '']
    parts.push({ included: name, before: `,"${name}":${open}`, text, none: 'null', after: close })
  }
  return parts
}

/** Of relations to one entry; lists, files and components are rendered. */
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
