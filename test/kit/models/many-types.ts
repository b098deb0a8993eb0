import assert from 'node:assert/strict'
import type { Attribute, ContentModel, ContentType } from '#content-model'
import { article, author, model } from './cms.ts'

/** A model of many types, `type-0` and so on, with ten values and three relations each: two to one, one to many. */
export function manyTypes(count: number, revision: number): ContentModel {
  const types = Array.from({ length: count }, (_, no): ContentType => {
    const attributes = attributesOf(no, count)
    const attribute = new Map(attributes.map((each) => [each.name, each]))
    const names = { singularName: `type-${no}`, pluralName: `type-${no}s` }
    return { ...author, ...names, no, uid: `api::type-${no}`, attributes, attribute }
  })
  const byName = new Map(types.map((type) => [type.singularName, type]))
  const findType = (name: string) => byName.get(name)
  return { ...model, revision, types, findType }
}

function attributesOf(no: number, count: number): readonly Attribute[] {
  const [text] = author.attributes
  const related = article.attribute.get('author')
  assert.ok(text && related?.type === 'relation')
  const values = Array.from({ length: 10 }, (_, at) => ({ ...text, name: `field${at}` }))
  const relations = [1, 2].map((step) => {
    const target = `type-${(no + step) % count}`
    return { ...related, name: `next${step}`, target }
  })
  const several: Attribute = {
    ...related,
    name: 'others',
    target: 'type-0',
    relation: 'manyToMany',
  }
  return [...values, ...relations, several]
}
