import { type GraphQLObjectType, GraphQLSchema, printSchema } from 'graphql'
import type { Content } from '#content'
import type { ContentModel, ContentType } from '#content-model'
import { createBuilding, type ShownFields } from './schema/building.ts'
import { cmsRoots } from './schema/cms.ts'
import { flatRoots } from './schema/flat.ts'
import type { Form, Meaning } from './schema/meaning.ts'

export type { Form } from './schema/meaning.ts'

export const FORMS: readonly Form[] = ['cms', 'offset', 'connection']

/**
 * The three schemas as the model is now. None is made before it is first asked for; after a change of a
 * type those that were are made anew beside the old ones, which serve until then, and the change is
 * answered when the new ones are in force.
 */
export function createSchemas({ model, onModelChange }: Pick<Content, 'model' | 'onModelChange'>) {
  const current = new Map<Form, Schema>()
  const building = new Map<Form, { readonly model: ContentModel; readonly made: Promise<Schema> }>()
  const close = onModelChange(async () => {
    for (const form of new Set([...current.keys(), ...building.keys()])) await renew(form)
  })
  return { get, inForce, close }

  /** At once where it has been made. */
  function get(form: Form): Schema | Promise<Schema> {
    return current.get(form) ?? renew(form)
  }

  /** Which schemas answer now, all three: one endpoint may ask the others. Undefined: its own is not made yet. */
  function inForce(form: Form): string | undefined {
    if (!current.has(form)) return undefined
    return FORMS.map((each) => current.get(each)?.model.revision ?? '').join()
  }

  /** Several who ask for it at the same time wait for the same one. */
  function renew(form: Form): Promise<Schema> {
    const of = model()
    const under = building.get(form)
    if (under?.model === of) return under.made
    const made = buildSchema(of, form)
      .then((schema) => {
        // Another one may have been begun for a newer model, and be done already.
        if ((current.get(form)?.model.revision ?? -1) <= of.revision) current.set(form, schema)
        return schema
      })
      .finally(() => {
        if (building.get(form)?.made === made) building.delete(form)
      })
    building.set(form, { model: of, made })
    return made
  }
}

export type Schemas = ReturnType<typeof createSchemas>

/** One of the three schemas, of one moment of the model. */
export interface Schema {
  readonly form: Form
  readonly model: ContentModel
  readonly schema: GraphQLSchema
  /** What the field of a type means; undefined for `__typename` and introspection. */
  meaningOf(type: string, field: string): Meaning | undefined
  nameOf(type: ContentType): string
  /** The schema as text, made when it is first asked for. */
  sdl(): string
}

/** Longer, and requests would notice that a type was changed. */
const SLICE_MS = 4

/** Makes a schema in slices, between which the event loop goes on. */
export async function buildSchema(model: ContentModel, form: Form): Promise<Schema> {
  // Of many types the roots and the last step take some ten milliseconds each, and are a turn each.
  await nextTurn()
  const building = createBuilding(model, form)
  const { object, meanings, fillNext } = building
  const roots = form === 'cms' ? cmsRoots(building) : flatRoots(building)
  const query = rootOf('Query', roots.query)
  const hasChanges = Object.keys(roots.mutation).length > 0
  const mutation = hasChanges ? rootOf('Mutation', roots.mutation) : undefined
  let sliceEndsMs = performance.now() + SLICE_MS
  while (fillNext()) {
    if (performance.now() < sliceEndsMs) continue
    await nextTurn()
    sliceEndsMs = performance.now() + SLICE_MS
  }
  await nextTurn()
  // Checked by tests over all kinds of attributes, not at run time: it takes longer than the building.
  const schema = new GraphQLSchema({ query, ...(mutation && { mutation }), assumeValid: true })
  let text: string | undefined
  return {
    ...{ form, model, schema },
    nameOf: building.nameOf,
    meaningOf: (type, field) => meanings.get(type)?.get(field),
    sdl() {
      text ??= printSchema(schema)
      return text
    },
  }

  function rootOf(name: string, fields: ShownFields): GraphQLObjectType {
    return object(name, () => fields)
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
