import { isDeepStrictEqual } from 'node:util'
import type { Kysely } from 'kysely'
import type { Alongside, Database, Tx } from '#db'
import { conflict, type Ids, type Issue, invalid, type Log, notFound, unavailable } from '#kernel'
import type { Component, ContentModel, ContentType } from '../model.ts'
import type { ContentTables } from '../tables.ts'
import { refuseClashes } from './alter.ts'
import { uidOf } from './build.ts'
import type { ModelChange, ModelChanges } from './changes.ts'
import type { Cleanup } from './cleanup.ts'
import { prepareConversions } from './conversions.ts'
import { countEntries } from './count-store.ts'
import {
  componentUid,
  type StoredComponent,
  type StoredModel,
  type StoredType,
} from './definition.ts'
import { type Design, designModel, type Edit } from './design.ts'
import type { TellingDeps } from './entry-events.ts'
import { assess, type Impact, isLossy, wouldLoseData } from './impact.ts'
import { numberDesign } from './number-design.ts'
import {
  mergeComponent,
  mergeType,
  parseComponent,
  parseType,
  refuseReadOnly,
} from './parse-type.ts'
import { createPerformer } from './perform.ts'
import type { Leftover } from './removed-values.ts'
import type {
  BatchBody,
  ComponentChangeBody,
  ContentTypeChangeBody,
  NewComponentBody,
  NewContentTypeBody,
} from './schemas.ts'
import { readModel } from './store.ts'

interface Deps extends TellingDeps {
  readonly db: Database
  readonly ids: Ids
  readonly log: Log
  readonly changes: ModelChanges
  readonly cleanup: Cleanup
  model(): ContentModel
  publicReadDefault(): boolean
  /** Answers made from these types are no longer right. */
  touch(tx: Tx, typeNos: readonly number[]): void
}

export interface ChangeOptions {
  /** Nothing changes; the answer tells what would. */
  readonly dryRun: boolean
  /** Also when stored values are lost. */
  readonly force: boolean
}

const PLAINLY: ChangeOptions = { dryRun: false, force: false }
const MOST_ATTEMPTS = 5

/** Loaded with the first change; most processes never need it. */
const loadChecker = () => import('typebox/schema')

/** Definitions of types and components (content model §11): each call is done whole or not at all. */
export function createDefinitions(deps: Deps) {
  const { db, log, changes, cleanup, model, publicReadDefault, touch } = deps
  const { dialect } = db
  const reader: Kysely<ContentTables> = db.main.reader
  const performer = createPerformer({ ...deps, dialect })
  return {
    getType,
    getComponent,
    createType,
    createComponent,
    createBatch,
    prepareTypes,
    replaceType,
    mergeType: patchType,
    removeType,
    replaceComponent,
    mergeComponent: patchComponent,
    removeComponent,
  }

  function getType(name: string): ContentType {
    return model().findType(name) ?? unknownType()
  }

  function getComponent(uid: string): Component {
    return model().findComponent(uid) ?? unknownComponent()
  }

  async function createType(body: NewContentTypeBody, alongside?: Alongside<void>): Promise<void> {
    refuseReadOnly(body, null)
    const parse = await createParser()
    await apply(() => parse.finish({ types: [parse.type(body, null)] }), PLAINLY, alongside)
  }

  async function createComponent(
    body: NewComponentBody,
    alongside?: Alongside<void>,
  ): Promise<void> {
    refuseReadOnly(body, null)
    const parse = await createParser()
    const edit = () => parse.finish({ components: [parse.component(body, null)] })
    await apply(edit, PLAINLY, alongside)
  }

  async function createBatch(
    { contentTypes = [], components = [] }: BatchBody,
    alongside?: Alongside<void>,
  ): Promise<void> {
    const parse = await createParser()
    const edit = () =>
      parse.finish({
        types: contentTypes.map((body, at) => parse.type(body, null, ['contentTypes', at])),
        components: components.map((body, at) => parse.component(body, null, ['components', at])),
      })
    await apply(edit, PLAINLY, alongside)
  }

  /** Types to be created as part of a greater change. */
  async function prepareTypes(bodies: readonly NewContentTypeBody[]) {
    const parse = await createParser()
    const edit = parse.finish({ types: bodies.map((body) => parse.type(body, null)) })
    return async (change: ModelChange) => {
      const design = await number(designModel(change.stored, edit), change.trx)
      await performer.perform(change, design, { force: false, prepared: new Set() })
    }
  }

  async function replaceType(name: string, body: NewContentTypeBody, options: ChangeOptions) {
    const parse = await createParser()
    const impacts = await apply((stored) => {
      const before = typeOf(stored, name)
      refuseReadOnly(body, { uid: uidOf(before.definition.singularName), uuid: before.uuid })
      return parse.finish({ types: [parse.type(body, before)] })
    }, options)
    return { impacts, singularName: body.singularName }
  }

  async function patchType(name: string, body: ContentTypeChangeBody, options: ChangeOptions) {
    const parse = await createParser()
    let singularName = name
    const impacts = await apply((stored) => {
      const before = typeOf(stored, name)
      refuseReadOnly(body, { uid: uidOf(before.definition.singularName), uuid: before.uuid })
      const whole = mergeType(before.definition, body)
      singularName = whole.singularName
      return parse.finish({ types: [parse.type(whole, before)] })
    }, options)
    return { impacts, singularName }
  }

  async function removeType(name: string, options: ChangeOptions): Promise<readonly Impact[]> {
    return apply((stored) => ({ removedTypes: [typeOf(stored, name)] }), options)
  }

  async function replaceComponent(uid: string, body: NewComponentBody, options: ChangeOptions) {
    const parse = await createParser()
    const impacts = await apply((stored) => {
      const before = componentOf(stored, uid)
      refuseReadOnly(body, { uid })
      const whole = { category: categoryOf(uid), ...body }
      return parse.finish({ components: [parse.component(whole, before)] })
    }, options)
    return { impacts, uid: `${body.category ?? categoryOf(uid)}.${body.name}` }
  }

  async function patchComponent(uid: string, body: ComponentChangeBody, options: ChangeOptions) {
    const parse = await createParser()
    let now = uid
    const impacts = await apply((stored) => {
      const before = componentOf(stored, uid)
      refuseReadOnly(body, { uid })
      const whole = mergeComponent(before.definition, body)
      now = `${whole.category ?? 'default'}.${whole.name}`
      return parse.finish({ components: [parse.component(whole, before)] })
    }, options)
    return { impacts, uid: now }
  }

  async function removeComponent(uid: string, options: ChangeOptions): Promise<readonly Impact[]> {
    return apply((stored) => ({ removedComponents: [componentOf(stored, uid)] }), options)
  }

  /** Collects what is wrong with all parts of one call and refuses them together. */
  async function createParser() {
    const context = { checker: await loadChecker(), publicReadDefault: publicReadDefault() }
    const issues: Issue[] = []
    return { type, component, finish }

    /** The edit of everything that was parsed, or all that is wrong with it. */
    function finish(edit: Edit): Edit {
      const found = issues.splice(0)
      if (found.length > 0) throw invalid(found)
      return edit
    }

    function type(body: NewContentTypeBody, before: StoredType | null, at: Issue['path'] = []) {
      return { spec: parseType(body, { ...context, at, issues }), before, at }
    }

    function component(
      body: NewComponentBody,
      before: StoredComponent | null,
      at: Issue['path'] = [],
    ) {
      return { spec: parseComponent(body, { ...context, at, issues }), before, at }
    }
  }

  /**
   * Looks at what would happen, prepares what takes long, and does the rest in one transaction; when
   * somebody else changed definitions meanwhile, it begins anew.
   */
  async function apply(
    build: (stored: StoredModel) => Edit,
    { dryRun, force }: ChangeOptions,
    alongside?: Alongside<void>,
  ): Promise<readonly Impact[]> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const stored = await readModel(reader)
      const open = designModel(stored, build(stored))
      await refuseRenames(reader, open)
      const impacts = await assess(reader, stored, open)
      if (dryRun) return impacts
      if (isLossy(impacts) && !force) throw wouldLoseData(impacts)
      await refuseClashes(reader, open)
      const design = await number(open)
      const prepared = await prepareConversions(db, design)
      const isDone = await changes.change(async (change) => {
        if (!isDeepStrictEqual(change.stored, stored)) return false
        if (!force) await refuseNewLosses(change, design)
        await performer.perform(change, design, { force, prepared })
        touch(
          change.tx,
          stored.types.map(({ no }) => no),
        )
        await alongside?.(change.tx)
        return true
      })
      if (!isDone) continue
      for (const { no } of design.removedTypes) await clearNow(`content_v${no}`)
      return impacts
    }
    throw unavailable('busy', 'Definitions are being changed by others; try again')
  }

  /** So that nothing is left when the call is answered; the type is gone whether or not it succeeds. */
  async function clearNow(table: Leftover['table']) {
    try {
      await cleanup.run(table)
    } catch (error) {
      log.warn({ err: error, table }, 'entries of a removed type are left; the worker removes them')
    }
  }

  function number(open: Design, writer: Kysely<ContentTables> = db.main.writer): Promise<Design> {
    const take = (count: number) => dialect.sequences.take(writer, 'content_attribute', count)
    return numberDesign(open, take)
  }

  /** What was saved since the first look; converted values are looked at while they are moved. */
  async function refuseNewLosses({ trx, stored }: ModelChange, design: Design) {
    const impacts = await assess(trx, stored, design, { conversions: false })
    if (isLossy(impacts)) throw wouldLoseData(impacts)
  }
}

export type Definitions = ReturnType<typeof createDefinitions>

function typeOf({ types }: StoredModel, name: string): StoredType {
  const found = types.find(({ definition: { singularName, pluralName } }) =>
    [singularName, pluralName, uidOf(singularName)].includes(name),
  )
  return found ?? unknownType()
}

function componentOf({ components }: StoredModel, uid: string): StoredComponent {
  const found = components.find(({ definition }) => componentUid(definition) === uid)
  return found ?? unknownComponent()
}

function categoryOf(uid: string): string {
  return uid.split('.', 1)[0] ?? 'default'
}

/** Paths, events and links of entries are made of these, so a type with entries keeps them. */
async function refuseRenames(db: Kysely<ContentTables>, { types, components }: Design) {
  const members = ['singularName', 'pluralName', 'kind'] as const
  for (const { before, definition } of types) {
    const changed = before
      ? members.filter((member) => before.definition[member] !== definition[member])
      : []
    const [member] = changed
    if (!before || member === undefined || (await countEntries(db, before.no)) === 0) continue
    const message = `${changed.join(' and ')} cannot be changed while there are entries`
    throw conflict('type_in_use', message)
  }
  for (const { before, definition } of components) {
    if (!before || componentUid(before.definition) === componentUid(definition)) continue
    throw invalid([
      {
        path: ['name'],
        rule: 'read_only_field',
        message: 'A component keeps its category and name',
      },
    ])
  }
}

function unknownType(): never {
  throw notFound('content_type')
}

function unknownComponent(): never {
  throw notFound('component')
}
