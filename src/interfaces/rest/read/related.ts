import type { Entry, EntryInput } from '#content'
import { type ContentType, isToMany, type RelationAttribute } from '#content-model'
import { type Include, type LocaleChoice, typesOf } from '#content-query'
import { receiptOf } from '#http'
import { invalid, notFound } from '#kernel'
import { createCursors } from '#paging'
import type { RestDeps } from '../deps.ts'
import { type Context, type ParsedList, parseList, parseLocale, parseOne } from '../query/parse.ts'
import { sendPage } from '../read.ts'
import { renderRecord } from '../render/entry.ts'
import { type Asked, answerRead, questionOf, reportIgnored } from '../request.ts'
import type { Address, Target } from '../target.ts'
import type { Writing } from '../write.ts'
import { createFinder } from './find.ts'

type Related = Extract<Target, { kind: 'related' }>

/** Child collections and to-one relations of one record (contract §2). */
export function createRelated(deps: RestDeps, writing: Writing) {
  const { content, parseFilters, origin, transaction } = deps
  const cursors = createCursors({ key: deps.cursorKey })
  const prepareList = content.entryTemplates<ParsedList>()
  const finder = createFinder(content)
  return { list, one, create }

  async function list(asked: Asked, { address, relation }: Related): Promise<Buffer> {
    const child = childOf(asked, relation)
    const parent = await getParent(asked, address)
    const { uid, no } = asked.resource.type
    const locale = localeFor(child, parent)
    const kind = `${uid} ${relation.name} ${JSON.stringify(locale)}`
    const own = [parent.copyNo, parent.documentId]
    const question = questionOf(child, kind, own, (context, slots, at) => {
      const documentId = slots.text(at + 1)
      const parsed = parseList(
        context,
        { cursors, parseFilters },
        {
          resource: documentId.map((id) => `${uid} ${id} ${relation.name}`),
          linkedFrom: { relation, copyNo: slots.whole(at), documentId },
          locale,
        },
      )
      reportIgnored(asked, [...parsed.known, 'status'])
      return parsed
    })
    const prepared = prepareList(asked.viewer, question)
    const { known, typeNos } = prepared.read
    reportIgnored(asked, [...known, 'status'])
    const page = await content.readEntries(prepared)
    const text = sendPage(asked, prepared, page, { cursors, origin: origin(asked.request) })
    return answerRead(asked, { text, typeNos: [no, ...typeNos] })
  }

  async function one(asked: Asked, { address, relation }: Related): Promise<Buffer> {
    const { query, view, known } = parseOne(childOf(asked, relation).context)
    reportIgnored(asked, [...known, 'status'])
    const include = [toInclude(relation, query.include)]
    const parent = await getParent(asked, address, include)
    const found = parent.included.get(relation.name)
    const entry = found?.kind === 'entry' ? found.entry : null
    const { type, model } = asked.resource
    return answerRead(asked, {
      text: `{"data":${entry ? renderRecord(entry, view) : 'null'}}`,
      typeNos: typesOf(model, { type, filter: null, include }),
    })
  }

  /** The new child is linked from whichever side keeps the link. */
  async function create(asked: Asked, { address, relation }: Related): Promise<string> {
    const parent = await finder.current(asked, address)
    if (!parent) throw notFound()
    const child = childOf(asked, relation)
    const answer = await writing.readAnswer(child)
    const prepared = await writing.prepareCreation(child, asked.request.body)
    const { actor, resource } = asked
    const input = withParent(child.resource.type, relation, prepared.input, parent)
    const written = await transaction(undefined, async (tx) => {
      const made = await content.entries.create(actor, child.resource.type, input, {
        ...prepared.options,
        receipt: receiptOf(asked.request),
        tx,
      })
      if (relation.inverse === null) {
        const values = { [relation.name]: { connect: [made.entry.id] } }
        // What is still being written of the parent is not published by its child.
        const options = { tx, status: 'both' } as const
        await content.entries.update(actor, resource.type, { id: parent.id }, { values }, options)
      }
      return made
    }).catch((error) => Promise.reject(prepared.withWireNames(error)))
    return writing.answerCreated(child, answer, written)
  }

  /** With `status` the drafts of the parent are meant too. */
  function getParent(asked: Asked, address: Address, include: readonly Include[] = []) {
    const { type } = asked.resource
    const locale = parseLocale(asked.context)
    const state = parseOne({ ...asked.context, parameters: onlyStatus(asked.context) }).query.state
    return finder.get(asked, address, { type, state, locale, filter: null, include })
  }

  /** The same request, asked of the type at the other end. */
  function childOf(asked: Asked, relation: RelationAttribute): Asked & { context: Context } {
    const type = asked.resource.model.findType(relation.target)
    if (!type) throw notFound()
    return {
      ...asked,
      resource: { ...asked.resource, type },
      context: { ...asked.context, type },
    }
  }
}

function onlyStatus({ parameters }: Context): Context['parameters'] {
  return {
    ...parameters,
    words: () => undefined,
    text: (name) => (name === 'status' ? parameters.text(name) : undefined),
  }
}

function toInclude({ name }: RelationAttribute, include: readonly Include[]): Include {
  const plain = { filter: null, sort: [], start: 0, limit: 1 }
  return { ...plain, field: name, include, depth: 'entries', named: true, at: [name] }
}

/** Unless the caller says otherwise, children are shown in their parent's language. */
function localeFor({ context }: Asked, parent: Entry): LocaleChoice {
  if (!context.type.localized || parent.locale === null) return { kind: 'default' }
  return { kind: 'one', code: parent.locale, fallback: [context.model.defaultLocale] }
}

/** The relation's other end, where there is one, is the parent: it may only be named again. */
function withParent(
  type: ContentType,
  { inverse }: RelationAttribute,
  input: EntryInput,
  { id, documentId }: Entry,
): EntryInput {
  const attribute = inverse === null ? undefined : type.attribute.get(inverse)
  if (!attribute) return input
  const { name } = attribute
  const sent = Object.hasOwn(input.values, name) ? input.values[name] : undefined
  const given = [sent ?? []].flat()
  const isMany = isToMany(attribute)
  const same: unknown[] = [id, String(id), documentId]
  const others = given.filter((each) => !same.includes(each))
  if (others.length > 0 && !isMany) {
    const message = `${name} is the record in the path`
    throw invalid([{ path: [name], rule: 'read_only_field', message }])
  }
  const linked = isMany ? [...others, documentId] : documentId
  return { ...input, values: { ...input.values, [name]: linked } }
}
