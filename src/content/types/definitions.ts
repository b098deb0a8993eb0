import { type Database, type Ids, type Issue, invalid, notFound } from '#kernel'
import type { Component, ContentModel, ContentType } from '../model.ts'
import type { ModelChanges } from './changes.ts'
import type { StoredModel } from './definition.ts'
import { type Design, designModel, type Edit } from './design.ts'
import { numberDesign } from './number-design.ts'
import { parseComponent, parseType, refuseReadOnly } from './parse-type.ts'
import { createPerformer } from './perform.ts'
import type { BatchBody, NewComponentBody, NewContentTypeBody } from './schemas.ts'

interface Deps {
  readonly db: Database
  readonly ids: Ids
  readonly changes: ModelChanges
  model(): ContentModel
  publicReadDefault(): boolean
}

/** Loaded with the first change; most processes never need it. */
const loadChecker = () => import('typebox/schema')

/** Definitions of types and components (content model §11): each call is done whole or not at all. */
export function createDefinitions({ db, ids, changes, model, publicReadDefault }: Deps) {
  const { dialect } = db
  const performer = createPerformer({ dialect, ids })
  return { createType, createComponent, createBatch, getType, getComponent }

  function getType(name: string): ContentType {
    const type = model().findType(name)
    if (!type) throw notFound('content_type')
    return type
  }

  function getComponent(uid: string): Component {
    const component = model().findComponent(uid)
    if (!component) throw notFound('component')
    return component
  }

  async function createType(body: NewContentTypeBody): Promise<ContentType> {
    const issues: Issue[] = []
    const context = { checker: await loadChecker(), publicReadDefault: publicReadDefault() }
    refuseReadOnly(body, null)
    const spec = parseType(body, { ...context, at: [], issues })
    await apply(issues, () => ({ types: [{ spec, before: null, at: [] }] }))
    return getType(spec.singularName)
  }

  async function createComponent(body: NewComponentBody): Promise<Component> {
    const issues: Issue[] = []
    refuseReadOnly(body, null)
    const spec = parseComponent(body, { checker: await loadChecker(), at: [], issues })
    await apply(issues, () => ({ components: [{ spec, before: null, at: [] }] }))
    return getComponent(`${spec.category}.${spec.name}`)
  }

  async function createBatch({ contentTypes = [], components = [] }: BatchBody) {
    const issues: Issue[] = []
    const context = { checker: await loadChecker(), publicReadDefault: publicReadDefault(), issues }
    const types = contentTypes.map((body, index) => {
      const at = ['contentTypes', index]
      return { spec: parseType(body, { ...context, at }), before: null, at }
    })
    const parts = components.map((body, index) => {
      const at = ['components', index]
      return { spec: parseComponent(body, { ...context, at }), before: null, at }
    })
    await apply(issues, () => ({ types, components: parts }))
    return {
      contentTypes: types.map(({ spec }) => getType(spec.singularName)),
      components: parts.map(({ spec }) => getComponent(`${spec.category}.${spec.name}`)),
    }
  }

  async function apply(issues: readonly Issue[], build: (stored: StoredModel) => Edit) {
    if (issues.length > 0) throw invalid(issues)
    await changes.change(async (change) => {
      const design = designModel(change.stored, build(change.stored))
      await performer.perform(change, await number(design))

      function number(open: Design): Promise<Design> {
        const take = (count: number) =>
          dialect.sequences.take(change.trx, 'content_attribute', count)
        return numberDesign(open, take)
      }
    })
  }
}

export type Definitions = ReturnType<typeof createDefinitions>
