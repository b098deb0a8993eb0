import type { Alongside } from '#db'
import { type Issue, invalid, notFound } from '#kernel'
import type { Component, ContentType } from '../model.ts'
import { type ApplyDeps, type ChangeOptions, createApply } from './apply.ts'
import { uidOf } from './build.ts'
import type { ModelChange } from './changes.ts'
import type { Changing } from './changing.ts'
import {
  componentUid,
  type StoredComponent,
  type StoredModel,
  type StoredType,
} from './definition.ts'
import type { Edit } from './design.ts'
import type { Impact } from './impact.ts'
import {
  mergeComponent,
  mergeType,
  parseComponent,
  parseType,
  refuseReadOnly,
} from './parse-type.ts'
import { readFiles } from './schema-import/files.ts'
import { editOf, reportOf, type SchemaReport } from './schema-import/report.ts'
import { translateSchemas } from './schema-import/translate.ts'
import type {
  BatchBody,
  ComponentChangeBody,
  ContentTypeChangeBody,
  NewComponentBody,
  NewContentTypeBody,
} from './schemas.ts'

export type { ChangeOptions } from './apply.ts'

interface Deps extends ApplyDeps {
  publicReadDefault(): boolean
}

const PLAINLY: ChangeOptions = { dryRun: false, force: false }

/** Loaded with the first change; most processes never need it. */
const loadChecker = () => import('typebox/schema')

/** Definitions of types and components (content model §11): each call is done whole or not at all. */
export function createDefinitions(deps: Deps) {
  const { model, publicReadDefault } = deps
  const { apply, perform } = createApply(deps)
  return {
    getType,
    getComponent,
    createType,
    createComponent,
    createBatch,
    importSchemas,
    prepareTypes,
    replaceType,
    mergeType: patchType,
    removeType,
    replaceComponent,
    mergeComponent: patchComponent,
    removeComponent,
    resume,
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
    await apply(() => parse.finish({ types: [parse.type(body, null)] }), PLAINLY, { alongside })
  }

  async function createComponent(
    body: NewComponentBody,
    alongside?: Alongside<void>,
  ): Promise<void> {
    refuseReadOnly(body, null)
    const parse = await createParser()
    const edit = () => parse.finish({ components: [parse.component(body, null)] })
    await apply(edit, PLAINLY, { alongside })
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
    await apply(edit, PLAINLY, { alongside })
  }

  /** Schema files of the modelled system: what is here already gets their attributes besides its own. */
  async function importSchemas(body: unknown, options: ChangeOptions): Promise<SchemaReport> {
    const before = model()
    const translation = translateSchemas(readFiles(body), before)
    const parse = await createParser()
    const impacts = await apply((stored) => editOf(stored, translation, parse), options)
    return reportOf(translation, before, impacts)
  }

  /** Types to be created as part of a greater change. */
  async function prepareTypes(bodies: readonly NewContentTypeBody[]) {
    const parse = await createParser()
    const edit = parse.finish({ types: bodies.map((body) => parse.type(body, null)) })
    return (change: ModelChange) => perform(change, edit)
  }

  async function replaceType(name: string, body: NewContentTypeBody, options: ChangeOptions) {
    const parse = await createParser()
    const build = (stored: StoredModel) => {
      const before = typeOf(stored, name)
      refuseReadOnly(body, { uid: uidOf(before.definition.singularName), uuid: before.uuid })
      return parse.finish({ types: [parse.type(body, before)] })
    }
    const impacts = await apply(build, options, { call: { kind: 'replace', name, body } })
    return { impacts, singularName: body.singularName }
  }

  async function patchType(name: string, body: ContentTypeChangeBody, options: ChangeOptions) {
    const parse = await createParser()
    let singularName = name
    const build = (stored: StoredModel) => {
      const before = typeOf(stored, name)
      refuseReadOnly(body, { uid: uidOf(before.definition.singularName), uuid: before.uuid })
      const whole = mergeType(before.definition, body)
      singularName = whole.singularName
      return parse.finish({ types: [parse.type(whole, before)] })
    }
    const impacts = await apply(build, options, { call: { kind: 'merge', name, body } })
    return { impacts, singularName }
  }

  /** Finishes the change of a type that another process has begun, as if its caller had asked again. */
  async function resume({ id, call, force }: Changing): Promise<void> {
    const options = { dryRun: false, force, continues: id }
    if (call.kind === 'replace') await replaceType(call.name, call.body, options)
    else await patchType(call.name, call.body, options)
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

function unknownType(): never {
  throw notFound('content_type')
}

function unknownComponent(): never {
  throw notFound('component')
}
