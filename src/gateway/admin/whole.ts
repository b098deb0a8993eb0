/** The configuration as one document: read, checked and replaced as a whole (contract §3.4). */
import { createHash } from 'node:crypto'
import { DomainError, isObject } from '#kernel'
import type { Kind } from '../protocol.ts'
import type { Fault } from '../resources/check.ts'
import type { Description } from '../resources/descriptions.ts'
import type { Json, JsonObject } from '../resources/values.ts'
import type { Configuration, Pending } from './configuration.ts'
import type { Draft } from './draft.ts'
import { refuse } from './errors.ts'
import { PENDING } from './history.ts'
import { maskFaults, withKept } from './kept-secrets.ts'
import { isId, type Objects, toObject } from './objects.ts'
import { type Reader, renderValue } from './render.ts'
import { countKeys, isBuiltIn } from './rules.ts'
import type { Stored } from './store.ts'

interface Deps {
  readonly configuration: Configuration
  readonly objects: Objects
  readonly descriptions: ReadonlyMap<Kind, Description>
}

export interface Finding {
  readonly resource_type: string
  readonly resource_id: string
  readonly index: number
  readonly error: string
}

/** How the whole is replaced. */
interface WholeTerms {
  readonly by: string
  /** That of the document, as its writer reckons it. */
  readonly digest?: string | undefined
  /** The write is taken back after this time unless it is confirmed. */
  readonly confirmMs?: number | undefined
}

interface Given {
  /** The list it stands in. */
  readonly list: string
  readonly kind: Kind
  readonly id: string
  readonly index: number
  readonly value: JsonObject
}

interface Parsed {
  readonly given: readonly Given[]
  readonly findings: readonly Finding[]
}

/** Reverts the change of a check that must leave no trace. */
class Undone extends Error {}

const CREDENTIAL_WORDS = ['credentials', 'credentials_conf_version']
/** Kinds of the modelled gateway that are not here; its clients name them all, mostly with empty lists. */
const FOREIGN_KINDS = ['stream_routes', 'protos', 'secrets', 'plugins']
const VERSION = /_conf_version$/
const OWN_MEMBERS = ['id', 'create_time', 'update_time', 'createdIndex', 'modifiedIndex']

export function createWhole({ configuration, objects, descriptions }: Deps) {
  return { read, about, validate, replace }

  function read(reader: Reader): JsonObject {
    const marks = configuration.marks()
    const document: Record<string, JsonObject[string]> = {}
    for (const [kind, description] of descriptions) {
      const list = [...configuration.all()].filter((object) => object.kind === kind)
      document[kind] = list
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map((object) => ({
          ...renderValue(object, description, reader),
          ...(kind === 'credentials' ? { id: object.id.replace('/', '/credentials/') } : {}),
        }))
      document[`${kind}_conf_version`] = Number(marks.get(`${kind}_conf_version`) ?? 0)
    }
    return document
  }

  /** What the answers say of the configuration as a whole. */
  function about() {
    const marks = configuration.marks()
    const revision = configuration.revision()
    const [index, given] = (marks.get('digest') ?? '').split('\n')
    const isCurrent = Number(index) === revision && given !== undefined
    const digest = isCurrent
      ? given
      : createHash('sha256').update(`revision ${revision}`).digest('hex')
    const times = [...configuration.all()].map(({ updateTime }) => updateTime)
    return { digest, lastModified: String(times.length === 0 ? 0 : Math.max(...times)) }
  }

  /** All findings; nothing is stored. */
  async function validate(body: unknown): Promise<void> {
    const parsed = parse(body, { needsIds: false })
    try {
      await configuration.change(
        (draft) => {
          apply(draft, parsed, new Set(descriptions.keys()))
          throw new Undone()
        },
        { by: 'nobody' },
      )
    } catch (error) {
      if (!(error instanceof Undone)) throw error
    }
  }

  /** False when the stored one has that digest already. */
  async function replace(body: unknown, { digest, by, confirmMs }: WholeTerms): Promise<boolean> {
    if (digest !== undefined && (await isStored(digest))) return false
    const document = toObject(body)
    const parsed = parse(body, { needsIds: true })
    await configuration.change(
      (draft) => {
        // Here and not before: another write of the whole may have come first.
        const versions = versionsOf(document, configuration.marks())
        const changed = [...versions].filter(([, { isSame }]) => !isSame)
        apply(draft, parsed, new Set(changed.map(([kind]) => kind)))
        for (const [kind, { version }] of versions)
          draft.mark(`${kind}_conf_version`, String(version))
        if (digest !== undefined) draft.mark('digest', `${draft.index}\n${digest}`)
        // A further write of the whole that needs no confirmation confirms the one before it.
        const before = confirmMs === undefined ? undefined : configuration.pending()?.revision
        draft.mark(
          PENDING,
          confirmMs === undefined
            ? ''
            : JSON.stringify({
                revision: before ?? draft.index - 1,
                deadlineMs: draft.nowMs + confirmMs,
              } satisfies Pending),
        )
      },
      { by },
    )
    return true
  }

  /** The copy may lack what another node has just written: another digest, and then this one is not stored. */
  async function isStored(digest: string): Promise<boolean> {
    const revision = configuration.revision()
    return digest === about().digest && revision === (await configuration.storedRevision())
  }

  function versionsOf(document: JsonObject, marks: ReadonlyMap<string, string>) {
    const versions = new Map<Kind, { version: number; isSame: boolean }>()
    for (const kind of descriptions.keys()) {
      const name = `${kind}_conf_version`
      const stored = Number(marks.get(name) ?? 0)
      const given = document[name]
      if (given !== undefined && !Number.isSafeInteger(given))
        throw refuse(`${name} must be an integer`)
      const version = typeof given === 'number' ? given : stored + 1
      if (version < stored) throw refuse(`${name} must be greater than or equal to ${stored}`)
      versions.set(kind, { version, isSame: version === stored })
    }
    // Who knows credentials only as items of consumers says with those whether they are the same.
    const knowsCredentials = CREDENTIAL_WORDS.some((word) => document[word] !== undefined)
    if (versions.get('consumers')?.isSame && !knowsCredentials) {
      const stored = Number(marks.get('credentials_conf_version') ?? 0)
      versions.set('credentials', { version: stored, isSame: true })
    }
    return versions
  }

  /** Puts everything into the draft, drops what is not named, then checks all of it together. */
  function apply(draft: Draft, { given, findings }: Parsed, touched: ReadonlySet<Kind>) {
    const named = new Map(given.map((one) => [`${one.kind}/${one.id}`, one]))
    for (const object of draft.all()) {
      if (touched.has(object.kind) && !named.has(`${object.kind}/${object.id}`)) {
        draft.remove(object.kind, object.id)
      }
    }
    const put: [Given, Stored][] = []
    const masked: Finding[] = []
    for (const one of given) {
      if (!touched.has(one.kind)) continue
      const before = draft.find(one.kind, one.id)
      const description = descriptions.get(one.kind)
      const lost = maskFaults(description, one.value, before)
      if (lost.length > 0) {
        masked.push(...lost.map((fault) => toFinding(one, fault)))
        // Others may refer to it.
        draft.put(one.kind, one.id, one.value)
        continue
      }
      const value = withKept(description, one.value, before)
      const isSame = before && JSON.stringify(before.value) === JSON.stringify(value)
      put.push([one, isSame ? before : draft.put(one.kind, one.id, value)])
    }
    const keys = countKeys(draft)
    const remaining = draft.all().filter(({ kind }) => !touched.has(kind))
    const checked = [
      ...put,
      ...remaining.map((object) => [{ ...object, list: object.kind, index: 0 }, object] as const),
    ]
    const all = [
      ...findings,
      ...masked,
      ...checked.flatMap(([one, object]) =>
        objects.faultsOf(draft, object, keys).map((fault) => toFinding(one, fault)),
      ),
    ]
    if (all.length > 0) throw invalidWhole(all)
  }

  /** Findings here do not hide those that only show when everything is put together. */
  function parse(body: unknown, { needsIds }: { readonly needsIds: boolean }): Parsed {
    const findings: Finding[] = []
    const given: Given[] = []
    for (const [name, list] of Object.entries(toObject(body))) {
      const description = [...descriptions.values()].find(({ kind }) => kind === name)
      const error = listFault(name, list)
      if (error !== undefined)
        findings.push({ resource_type: name, resource_id: '', index: 0, error })
      if (!description || !Array.isArray(list)) continue
      for (const [index, one] of list.entries()) {
        const parsed = parseOne(kindOfItem(description, one), name, index, one, needsIds)
        if ('error' in parsed) findings.push(parsed)
        else given.push(parsed)
      }
    }
    return { given, findings: [...findings, ...doubles(given)] }
  }

  /** A mistyped name that was passed over would remove all that its list should hold. */
  function listFault(name: string, list: unknown): string | undefined {
    const type = name.replace(VERSION, '')
    const isVersion = type !== name
    const isHere = [...descriptions.keys()].some((kind) => kind === type)
    const isNothing = isVersion || (Array.isArray(list) && list.length === 0)
    if (!isHere && !(isNothing && FOREIGN_KINDS.includes(type)))
      return `unsupported resource type: ${type}`
    return isVersion || Array.isArray(list) ? undefined : 'must be a list'
  }

  /** Other gateways keep credentials among the consumers, by ids such as `jack/credentials/one`. */
  function kindOfItem(description: Description, one: unknown): Description {
    const id = isObject(one) && description.kind === 'consumers' ? one['id'] : undefined
    const isCredential = typeof id === 'string' && id.includes('/credentials/')
    return (isCredential ? descriptions.get('credentials') : undefined) ?? description
  }

  function parseOne(
    { kind, idMember }: Description,
    list: string,
    index: number,
    one: unknown,
    needsIds: boolean,
  ): Given | Finding {
    const about = { resource_type: list, resource_id: '', index }
    if (!isObject<Json>(one)) return { ...about, error: 'must be an object' }
    const value = Object.fromEntries(
      Object.entries(one).filter(([name]) => !OWN_MEMBERS.includes(name)),
    )
    const id = one[idMember]
    // The id is made when the object is stored; until then no stored one can have this.
    if (id === undefined && idMember === 'id' && !needsIds) {
      const unknown = `${kind === 'credentials' ? '?/' : '?'}${index}`
      return { list, kind, id: unknown, index, value }
    }
    if (typeof id !== 'string' && typeof id !== 'number') {
      return { ...about, error: `${idMember} is required` }
    }
    const text = kind === 'credentials' ? String(id).replace('/credentials/', '/') : String(id)
    if (!isRightId(kind, id, text)) {
      return { ...about, resource_id: text, error: `${idMember} is not valid` }
    }
    if (isBuiltIn(kind, text)) {
      return { ...about, resource_id: text, error: 'it is built in and cannot be changed' }
    }
    return { list, kind, id: text, index, value }
  }
}

function isRightId(kind: Kind, id: string | number, text: string): boolean {
  if (kind === 'credentials') return /^[\w-]+\/[\w.-]{1,64}$/.test(text)
  return kind === 'consumers' || kind === 'plugin_metadata' ? /^[\w-]{1,256}$/.test(text) : isId(id)
}

export type Whole = ReturnType<typeof createWhole>

function doubles(given: readonly Given[]): Finding[] {
  const seen = new Set<string>()
  return given.flatMap(({ list, kind, id, index }) => {
    const key = `${kind}/${id}`
    const isDouble = seen.has(key)
    seen.add(key)
    return isDouble
      ? [{ resource_type: list, resource_id: id, index, error: 'the id is given twice' }]
      : []
  })
}

function toFinding({ list, id, index }: Omit<Given, 'value'>, { path, message }: Fault): Finding {
  const error = path === '' ? message : `${path}: ${message}`
  return { resource_type: list, resource_id: id.startsWith('?') ? '' : id, index, error }
}

function invalidWhole(findings: readonly Finding[]): DomainError {
  const [first] = findings
  const message = `invalid configuration: ${first?.resource_type} [${first?.resource_id}]: ${first?.error}`
  return new DomainError('invalid', 'invalid_whole', message, { facts: { errors: findings } })
}
