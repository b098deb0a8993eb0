import type { Attribute, ContentModel, ContentType } from '#content-model'
import type { AnyTables, Database } from '#db'
import type { Copy, Document, TypeName, Values } from './documents.ts'
import { PUBLISHED_AT } from './oracle.ts'

type Rows = Record<string, Record<string, unknown>[]>

/** Stores the documents as rows, as the decision on the content store describes them. */
export async function writeRows(
  { main }: Database,
  model: ContentModel,
  documents: readonly Document[],
) {
  const rows = toRows(model, documents)
  // Tags first: the search index reads them when it takes in the copy that has them.
  const { content_tags = [], ...others } = rows
  for (const [table, all] of Object.entries({ content_tags, ...others })) {
    for (let at = 0; at < all.length; at += 50) {
      await main.transaction(undefined, async (tx) => {
        await tx
          .as<AnyTables>()
          .insertInto(table)
          .values(all.slice(at, at + 50))
          .execute()
      })
    }
  }
}

function toRows(model: ContentModel, documents: readonly Document[]): Rows {
  const rows: Rows = {}
  const lastIds: Record<TypeName, number> = { writer: 0, topic: 0, story: 0 }
  let lastCopy = 0
  let lastPart = 0
  let entryNo = 0
  for (const { type: name, documentId, variants } of documents) {
    const type = model.findType(name)
    if (!type) throw new Error(`no type ${name}`)
    for (const { locale, live, work } of variants) {
      const id = ++lastIds[name]
      const publishedAt = name === 'story' && live ? PUBLISHED_AT + id : null
      const entry = {
        type_no: type.no,
        id,
        document_id: documentId,
        locale,
        published_at: publishedAt,
        created_at: id,
        updated_at: id,
      }
      add('content_entries', {
        ...entry,
        has_live: live ? 1 : 0,
        changed: live && live !== work ? 1 : 0,
        parent: null,
        sort_order: id,
        is_root: 0,
        path: null,
        ancestors_live: 1,
        version: 1,
      })
      entryNo++
      const { type_no: _, ...shared } = entry
      const common = { ...shared, entry_no: entryNo }
      if (live === work) addCopy(type, { ...common, live: 1, work: 1 }, work)
      else {
        if (live) addCopy(type, { ...common, live: 1, work: 0 }, live)
        addCopy(type, { ...common, live: 0, work: 1 }, work)
      }
    }
  }
  return rows

  function add(table: string, row: Record<string, unknown>) {
    rows[table] ??= []
    rows[table].push(row)
  }

  function addCopy(type: ContentType, row: Record<string, unknown>, copy: Copy) {
    const copyNo = ++lastCopy
    const doc = JSON.stringify(copy.values)
    const columns = columnsOf(type.attributes, copy.values)
    add(type.table, {
      ...row,
      copy_no: copyNo,
      revision_id: copyNo,
      shape: type.shape,
      doc,
      hidden: '{}',
      ...columns,
    })
    addTags(copyNo, 0, type.attributes, copy.values)
    const links = {
      writer: copy.writer ? [copy.writer] : [],
      topics: copy.topics,
      broader: copy.broader ? [copy.broader] : [],
    }
    for (const [name, targets] of Object.entries(links)) {
      const attribute = type.attribute.get(name)
      if (!attribute) continue
      targets.forEach((target, position) => {
        add('content_links', {
          attribute_no: attribute.no,
          owner_copy: copyNo,
          owner_part: 0,
          position,
          target,
          target_position: copyNo,
        })
      })
    }
    const seo = (values: Values) => ({ uid: 'default.seo', values })
    addParts(type, copyNo, 'seo', copy.seo ? [seo(copy.seo)] : [])
    addParts(type, copyNo, 'blocks', copy.blocks.map(seo))
    addParts(type, copyNo, 'mixed', copy.mixed)
  }

  function addParts(type: ContentType, copyNo: number, name: string, parts: Copy['mixed']) {
    const attribute = type.attribute.get(name)
    if (!attribute) return
    parts.forEach(({ uid, values }, position) => {
      const component = model.findComponent(uid)
      if (!component) return
      const partId = ++lastPart
      const doc = JSON.stringify(values)
      add(component.table, {
        owner_copy: copyNo,
        attribute_no: attribute.no,
        parent_part: 0,
        position,
        part_id: partId,
        shape: component.shape,
        doc,
        hidden: '{}',
        ...columnsOf(component.attributes, values),
      })
      addTags(copyNo, partId, component.attributes, values)
    })
  }

  function addTags(
    copyNo: number,
    partId: number,
    attributes: readonly Attribute[],
    values: Values,
  ) {
    const attribute = attributes.find(({ type }) => type === 'tags')
    const words = values['words']
    if (!attribute || !Array.isArray(words)) return
    words.forEach((value, position) => {
      add('content_tags', {
        attribute_no: attribute.no,
        owner_copy: copyNo,
        owner_part: partId,
        position,
        value,
        fold: fold(String(value)),
      })
    })
  }
}

const FOLDED = ['string', 'text', 'richtext', 'email', 'uid', 'enumeration']

function columnsOf(attributes: readonly Attribute[], values: Values): Record<string, unknown> {
  return Object.fromEntries(
    attributes.flatMap((attribute) => {
      const { name, no, type } = attribute
      if (['relation', 'media', 'component', 'dynamiczone'].includes(type)) return []
      const value = values[name] ?? null
      const column = [`a${no}`, value === null ? null : toColumn(attribute, value)] as const
      if (!FOLDED.includes(type)) return [column]
      return [column, [`f${no}`, value === null ? null : fold(String(value))] as const]
    }),
  )
}

function toColumn(attribute: Attribute, value: unknown): unknown {
  const { type } = attribute
  if (type === 'biginteger') return BigInt(String(value))
  if (type === 'decimal') return Math.round(Number(value) * 10 ** (attribute.scale ?? 2))
  if (type === 'boolean') return value ? 1 : 0
  if (type === 'datetime') return Date.parse(String(value))
  return typeof value === 'object' ? JSON.stringify(value) : value
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replaceAll('\u03c2', '\u03c3')
}
