import type { ContentModel } from '../model.ts'
import type { ContentQuery, Filter, Include } from './ast.ts'
import { findField, type Scope, scopeOf } from './names/fields.ts'

type Asked = Pick<ContentQuery, 'type' | 'filter' | 'include'> & Partial<Pick<ContentQuery, 'sort'>>

/** The numbers of the types whose changes may change the answer to a query. */
export function typesOf(model: ContentModel, query: Asked): readonly number[] {
  const found = new Set<number>()
  const root: Scope = { kind: 'entry', type: query.type }
  enter(root)
  if (query.filter) addFilter(root, query.filter)
  for (const { path } of query.sort ?? []) addPath(root, path)
  for (const include of query.include) addInclude(root, include)
  return [...found]

  function enter(scope: Scope): void {
    if (scope.kind === 'entry') found.add(scope.type.no)
  }

  /** Undefined when the name leads nowhere: a value, or something that will be refused. */
  function step(scope: Scope, name: string): Scope | undefined {
    const field = findField(model, scope, name)
    if (field?.kind !== 'step') return undefined
    const next = scopeOf(field.step)
    enter(next)
    return next
  }

  function addFilter(scope: Scope, filter: Filter): void {
    switch (filter.kind) {
      case 'and':
      case 'or':
        for (const each of filter.of) addFilter(scope, each)
        return
      case 'not':
        addFilter(scope, filter.of)
        return
      case 'some': {
        const next = step(scope, filter.field)
        if (next) addFilter(next, filter.of)
        return
      }
      case 'placed':
        for (const { no } of model.types) found.add(no)
        return
      default:
        step(scope, filter.field)
    }
  }

  function addPath(scope: Scope, [name, ...rest]: readonly string[]): void {
    const next = name === undefined ? undefined : step(scope, name)
    if (next) addPath(next, rest)
  }

  /** What is no relation, such as the other languages of an entry, is of the same type. */
  function addInclude(scope: Scope, include: Include): void {
    const next = step(scope, include.field) ?? scope
    if (include.filter) addFilter(next, include.filter)
    for (const { path } of include.sort) addPath(next, path)
    for (const inner of include.include) addInclude(next, inner)
    for (const [uid, inside] of include.on ?? []) {
      const component = model.findComponent(uid)
      if (component) for (const inner of inside) addInclude({ kind: 'part', component }, inner)
    }
  }
}
