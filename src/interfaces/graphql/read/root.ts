import type { ContentType } from '#content-model'
import type { Question, Slots, Values } from '#content-query'
import { DomainError } from '#kernel'
import type { GraphqlDeps } from '../deps.ts'
import { type Arguments, argumentsOf, fillArguments, splitArguments } from '../query/arguments.ts'
import type { Compiling } from '../query/level.ts'
import { bad } from '../query/paging.ts'
import type { Picked } from '../query/picked.ts'
import type { Writing } from '../render/writing.ts'
import type { Asked } from '../request.ts'
import { parseGlobalId } from '../target.ts'
import {
  type ReadEntries,
  type ReadFiles,
  toFile,
  toFiles,
  toList,
  toOne,
  toSingle,
  toWritten,
} from './questions.ts'

/** What was read. */
export interface Answer {
  /** Errors of single fields are added to those of the answer. */
  write(to: Pick<Writing, 'path' | 'errors'>): string | null
  /** The types whose changes may change it; null: it depends on more than entries. */
  readonly typeNos: readonly number[] | null
}

/** How a field of the root is read. */
interface Reading<Read> {
  /** Told apart where one field is read in several ways. */
  readonly kind: string
  readonly picked: readonly Picked[]
  /** The entry that a change has written; arguments of the field are then no part of the question. */
  readonly written?: number
  read(to: Compiling, slots: Slots): Read
}

/** Fields of the root that read the store: one question each, whatever is picked below. */
export function createRootReads({ content }: GraphqlDeps) {
  const prepareEntries = content.entryTemplates<ReadEntries>()
  const prepareFiles = content.fileTemplates<ReadFiles>()
  return { list, one, single, node, files, file, entry }

  function list(asked: Asked, root: Picked, type: ContentType): Promise<Answer> {
    const read = (to: Compiling) => toList(to, root, type)
    return readEntries(asked, root, { kind: 'list', picked: root.of(), read })
  }

  function one(asked: Asked, root: Picked, type: ContentType): Promise<Answer> {
    const picked = root.of()
    const read = (to: Compiling) => toOne(to, root, picked, type)
    return readEntries(asked, root, { kind: 'one', picked, read })
  }

  function single(asked: Asked, root: Picked, type: ContentType): Promise<Answer> {
    const read = (to: Compiling) => toSingle(to, root, type)
    return readEntries(asked, root, { kind: 'single', picked: root.of(), read })
  }

  /** The result of a change. */
  function entry(
    asked: Asked,
    root: Picked,
    type: ContentType,
    id: number,
    isLive: boolean,
  ): Promise<Answer> {
    const read = (to: Compiling, { whole }: Slots) => toWritten(to, root, type, isLive, whole(0))
    const kind = isLive ? 'live' : 'written'
    return readEntries(asked, root, { kind, picked: root.of(), written: id, read })
  }

  /** Contract §6: null for whatever the caller cannot have. */
  async function node(asked: Asked, root: Picked): Promise<Answer> {
    const { id } = argumentsOf(root, asked.variables)
    const named = parseGlobalId(String(id))
    if (named?.kind === 'file') return file(asked, root, root.of('UploadFile'))
    const type = named && asked.model.typeByNo(named.typeNo)
    if (!type) return nothing
    const picked = root.of(asked.schema.nameOf(type))
    const read = (to: Compiling) => toOne(to, root, picked, type)
    try {
      return await readEntries(asked, root, { kind: `node ${type.no}`, picked, read })
    } catch (error) {
      if (error instanceof DomainError && HIDDEN.includes(error.kind)) return nothing
      throw error
    }
  }

  function files(asked: Asked, root: Picked): Promise<Answer> {
    const read = (to: Compiling) => toFiles(to, root)
    return readFiles(asked, root, { kind: 'files', picked: root.of(), read })
  }

  function file(asked: Asked, root: Picked, picked = root.of()): Promise<Answer> {
    const read = (to: Compiling) => toFile(to, root, picked)
    return readFiles(asked, root, { kind: 'file', picked, read })
  }

  async function readEntries(
    asked: Asked,
    root: Picked,
    reading: Reading<ReadEntries>,
  ): Promise<Answer> {
    const prepared = prepareEntries(asked.viewer, questionOf(asked, root, reading))
    const page = await content.readEntries(prepared)
    const { read, values } = prepared
    return { write: (to) => read.write(page, { ...to, values }), typeNos: read.typeNos }
  }

  async function readFiles(
    asked: Asked,
    root: Picked,
    reading: Reading<ReadFiles>,
  ): Promise<Answer> {
    const prepared = prepareFiles(asked.viewer, questionOf(asked, root, reading))
    const page = await content.readFiles(prepared)
    const { read, values } = prepared
    return { write: (to) => read.write(page, { ...to, values }), typeNos: null }
  }
}

/** Types that the caller may not read do not exist for it, unless it names them. */
const HIDDEN: readonly string[] = ['unauthenticated', 'forbidden']

/** What the caller may not see, or is not there. */
export const nothing: Answer = { write: () => null, typeNos: [] }

/** One variable may stand in many filters; databases take some tens of thousands of values at once. */
const MOST_VALUES = 20_000

function tooManyValues({ name }: Picked): DomainError {
  return bad(name, `${name}: the filters have more than ${MOST_VALUES} values`)
}

/** The root field taken apart: names, orders and states are its template, the rest are values. */
function questionOf<Read>(
  { model, schema, viewer, variables }: Asked,
  root: Picked,
  { kind, picked, written, read }: Reading<Read>,
): Question<Read> {
  const { text, withArguments } = templateOf(picked)
  const values: Values[number][] = written === undefined ? [] : [written]
  const given = new Map<Picked, Arguments>()
  let template = `${schema.form} ${root.name} ${kind} ${text}`
  for (const each of written === undefined ? [root, ...withArguments] : withArguments) {
    const own = argumentsOf(each, variables)
    given.set(each, own)
    template += `|${splitArguments(own, values)}`
    if (values.length > MOST_VALUES) throw tooManyValues(root)
  }
  return {
    ...{ model, template, values },
    read(slots) {
      const argumentsIn = filledIn(given, slots, written === undefined ? 0 : 1)
      return read({ model, form: schema.form, viewer, argumentsOf: argumentsIn }, slots)
    },
  }
}

/**
 * By field, with slots from number `at` on. Plans keep this longer than documents are kept: it holds no
 * field, and therefore neither a document nor its text.
 */
function filledIn(given: ReadonlyMap<Picked, Arguments>, slots: Slots, at: number) {
  let next = at
  const filled = new WeakMap<Picked, Arguments>()
  for (const [each, own] of given)
    filled.set(
      each,
      fillArguments(own, slots, () => next++),
    )
  return (each: Picked): Arguments => filled.get(each) ?? {}
}

/** What is picked of a root field, without what arguments say. */
interface Template {
  readonly text: string
  /** Fields that take arguments, in the order in which these follow each other. */
  readonly withArguments: readonly Picked[]
}

const known = new WeakMap<readonly Picked[], Template>()

/** The same text for the same fields under the same names, whichever document picks them. */
function templateOf(picked: readonly Picked[]): Template {
  const found = known.get(picked)
  if (found) return found
  const withArguments: Picked[] = []
  const text = `{${textOf(picked)}}`
  const made = { text, withArguments }
  known.set(picked, made)
  return made

  function textOf(fields: readonly Picked[]): string {
    return fields.map(fieldText).join()
  }

  function fieldText(field: Picked): string {
    const { key, name, parent, of } = field
    if (field.field && field.field.args.length > 0) withArguments.push(field)
    const own = `${key}:${parent}.${name}`
    if (field.meaning?.of === 'zone') {
      return `${own}{${field.kinds.map((kind) => `${kind}{${textOf(of(kind))}}`).join()}}`
    }
    const inner = of()
    return inner.length > 0 ? `${own}{${textOf(inner)}}` : own
  }
}
