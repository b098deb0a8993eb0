import { type GraphQLObjectType, GraphQLSchema, printSchema } from 'graphql'
import type { ContentModel, ContentType } from '#content-model'
import { createBuilding, type ShownFields } from './building.ts'
import { cmsRoots } from './cms.ts'
import { flatRoots } from './flat.ts'
import type { Form, Meaning } from './meaning.ts'

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
