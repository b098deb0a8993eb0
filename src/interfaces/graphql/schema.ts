import type { Content } from '#content'
import type { ContentModel } from '#content-model'
import { buildSchema, type Schema } from './schema/build.ts'
import type { Form } from './schema/meaning.ts'

export type { Schema } from './schema/build.ts'
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
