import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { HttpPlugin } from '#http'
import { notFound } from '#kernel'
import {
  type Attribute,
  type Component,
  type ContentModel,
  type ContentType,
  componentsIn,
  type FieldSet,
} from '../model.ts'
import { keyRequired, mayRead, requireMay } from '../permissions.ts'
import { uidOf } from './build.ts'
import { renderAttribute } from './render.ts'

interface Deps {
  model(): ContentModel
}

/** Everybody sees the types that they may read. */
const config = { access: 'none' } as const
const UidParams = Type.Object({ uid: Type.String() })

/** The read-only form that site generators ask for first (content model §11). */
export function schemaRoutes({ model }: Deps): HttpPlugin {
  return (app) => {
    app.get('/content-type-builder/content-types', { config }, async (request) => {
      const shown = createView(model(), request)
      return { data: model().types.filter(shown.hasType).map(shown.renderType) }
    })

    app.get(
      '/content-type-builder/content-types/:uid',
      { config, schema: { params: UidParams } },
      async (request) => {
        const shown = createView(model(), request)
        const type = model().findType(request.params.uid)
        if (!type) throw notFound()
        requireMay(request.actor?.access ?? null, type, 'read')
        return { data: shown.renderType(type) }
      },
    )

    app.get('/content-type-builder/components', { config }, async (request) => {
      const shown = createView(model(), request)
      return { data: model().components.filter(shown.hasComponent).map(shown.renderComponent) }
    })

    app.get(
      '/content-type-builder/components/:uid',
      { config, schema: { params: UidParams } },
      async (request) => {
        const shown = createView(model(), request)
        const component = model().findComponent(request.params.uid)
        if (!component) throw notFound()
        if (!shown.hasComponent(component)) throw keyRequired()
        return { data: shown.renderComponent(component) }
      },
    )
  }
}

/** What the caller may know of: nothing leads to a type it may not read. */
function createView(model: ContentModel, { actor }: FastifyRequest) {
  const viewer = { level: actor?.access ?? null }
  const open = componentsOf(model, model.types.filter(hasType))
  // Also those that no type holds yet.
  const isStaff = actor !== null && model.types.every(hasType)
  return { hasType, hasComponent, renderType, renderComponent }

  function hasType(type: ContentType): boolean {
    return mayRead(viewer, type)
  }

  function hasComponent({ uid }: Component): boolean {
    return isStaff || open.has(uid)
  }

  function renderType(type: ContentType) {
    const { uid, singularName, pluralName, kind, displayName, draftAndPublish } = type
    const names = { kind, singularName, pluralName, displayName, draftAndPublish }
    return { uid, apiID: singularName, schema: { ...names, attributes: attributesOf(type) } }
  }

  function renderComponent(component: Component) {
    const { uid, category, name, displayName } = component
    const schema = { displayName, attributes: attributesOf(component) }
    return { uid, category, apiId: name, schema }
  }

  function attributesOf({ attributes }: FieldSet) {
    const shown = attributes.filter((attribute) => !attribute.private && isOpen(attribute))
    return Object.fromEntries(shown.map((attribute) => [attribute.name, render(attribute)]))
  }

  function isOpen(attribute: Attribute): boolean {
    if (attribute.type !== 'relation') return true
    const target = model.findType(attribute.target)
    return target !== undefined && hasType(target)
  }
}

function render(attribute: Attribute) {
  const rendered = renderAttribute(attribute)
  if (attribute.type === 'richtext' && attribute.format === 'blocks') {
    return { ...rendered, type: 'blocks' }
  }
  if (attribute.type === 'media') return { ...rendered, multiple: attribute.multiple }
  if (attribute.type === 'component') return { ...rendered, repeatable: attribute.repeatable }
  if (attribute.type !== 'relation') return rendered
  const { target, inverse } = attribute
  return { ...rendered, target: uidOf(target), ...(inverse ? { targetAttribute: inverse } : {}) }
}

/** Components that entries of these types can hold, at any depth. */
function componentsOf(model: ContentModel, types: readonly ContentType[]): ReadonlySet<string> {
  const found = new Set<string>()
  const open: FieldSet[] = [...types]
  for (let set = open.pop(); set; set = open.pop()) {
    for (const attribute of set.attributes) {
      if (attribute.private) continue
      const news = componentsIn(model, attribute).filter(({ uid }) => !found.has(uid))
      for (const { uid } of news) found.add(uid)
      open.push(...news)
    }
  }
  return found
}
