import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { isObject, type Log, OperatorError } from '#kernel'
import { toStored } from './to-stored.ts'
import {
  FIELD_TYPES,
  type IndexedEntry,
  type IndexModule,
  type ModuleField,
  type StoredValue,
} from './words.ts'

/** All modules of the operator as one. */
export interface LoadedModules {
  readonly fields: readonly ModuleField[]
  /** Another one whenever a module or its fields are others: what was recorded before then counts no more. */
  readonly registration: string
  /** By the key of the field; a module that fails says nothing of the entry. */
  valuesOf(entry: IndexedEntry): Promise<ReadonlyMap<string, readonly StoredValue[]>>
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,59}$/
/** Of one field of one entry. */
const MOST_VALUES = 100
const LONGEST_CALL_MS = 1_000

/** Faults of a module stop the start, because an index without its field would answer wrongly. */
export async function loadModules(files: readonly string[], log: Log): Promise<LoadedModules> {
  const digest = createHash('sha256')
  const loaded: { readonly module: IndexModule; readonly fields: readonly ModuleField[] }[] = []
  const declared: Omit<ModuleField, 'key'>[][] = []
  const modules: IndexModule[] = []
  for (const file of files) {
    digest.update(await readFile(file).catch((error) => unreadable(file, error)))
    for (const module of await importModules(file)) {
      declared.push(fieldsOf(module, file))
      modules.push(module)
    }
  }
  refuseTwice(declared.flat())
  const registration = digest.update(JSON.stringify(declared)).digest('hex').slice(0, 16)
  for (const [at, module] of modules.entries()) {
    const fields = (declared[at] ?? []).map((each) => ({ ...each, key: keyOf(each.name) }))
    loaded.push({ module, fields })
  }
  return { fields: loaded.flatMap(({ fields }) => fields), registration, valuesOf }

  function keyOf(name: string): string {
    return `${registration}:${name}`
  }

  async function valuesOf(entry: IndexedEntry) {
    const found = new Map<string, readonly StoredValue[]>()
    for (const { module, fields } of loaded) {
      for (const [key, values] of await ask(module, fields, entry)) found.set(key, values)
    }
    return found
  }

  async function ask(module: IndexModule, fields: readonly ModuleField[], entry: IndexedEntry) {
    const groups = Map.groupBy(fields, ({ variesByCulture }) => variesByCulture)
    const found: [string, readonly StoredValue[]][] = []
    for (const [varies, own] of groups) {
      try {
        const given = await inTime(module.values(entry, varies ? entry.culture : null))
        found.push(
          ...own.map((field): [string, readonly StoredValue[]] => [field.key, pick(field, given)]),
        )
      } catch (error) {
        const { id, contentType } = entry
        log.warn(
          { err: error, entry: id, type: contentType },
          'an index module failed; the entry has no values of it',
        )
      }
    }
    return found
  }
}

/** All exported objects that are modules, also in lists. */
async function importModules(file: string): Promise<readonly IndexModule[]> {
  const exported: Record<string, unknown> = await import(pathToFileURL(file).href).catch((error) =>
    unreadable(file, error),
  )
  const found = [...new Set(Object.values(exported).flat())].filter(isModule)
  if (found.length > 0) return found
  throw new OperatorError(
    `index_modules: ${file} exports nothing with the functions fields() and values(entry, culture)`,
  )
}

function isModule(value: unknown): value is IndexModule {
  return (
    isObject(value) &&
    typeof value['fields'] === 'function' &&
    typeof value['values'] === 'function'
  )
}

function unreadable(file: string, error: unknown): never {
  const reason = error instanceof Error ? error.message : String(error)
  throw new OperatorError(`index_modules: ${file} cannot be loaded: ${reason}`, error)
}

function fieldsOf(module: IndexModule, file: string): Omit<ModuleField, 'key'>[] {
  const given: unknown = module.fields()
  if (!Array.isArray(given)) {
    throw new OperatorError(`index_modules: fields() of ${file} must return a list`)
  }
  return given.map((field: unknown) => {
    const { fieldName: name, fieldType, variesByCulture = false } = isObject(field) ? field : {}
    const type = FIELD_TYPES.find((each) => each === fieldType)
    if (typeof name !== 'string' || !NAME.test(name)) {
      throw new OperatorError(
        `index_modules: ${file} names a field ${JSON.stringify(name)}; a fieldName has letters, digits and _`,
      )
    }
    if (!type) {
      const known = FIELD_TYPES.join(', ')
      throw new OperatorError(
        `index_modules: the field ${name} of ${file} has the fieldType ${JSON.stringify(fieldType)}; there are ${known}`,
      )
    }
    return { name, type, variesByCulture: variesByCulture === true }
  })
}

function refuseTwice(fields: readonly { readonly name: string }[]): void {
  const seen = new Set<string>()
  for (const { name } of fields) {
    const lower = name.toLowerCase()
    if (seen.has(lower)) {
      throw new OperatorError(`index_modules: two modules have a field ${name}; rename one of them`)
    }
    seen.add(lower)
  }
}

/** What a module said of one field; what cannot be a value of it is left out. */
function pick({ name, type }: ModuleField, given: unknown): readonly StoredValue[] {
  const all: unknown[] = Array.isArray(given) ? given : []
  const own = all.filter(isObject).filter((each) => each['fieldName'] === name)
  const values = own.flatMap((each): unknown[] => {
    const listed: unknown = each['values']
    return Array.isArray(listed) ? listed : []
  })
  return values.slice(0, MOST_VALUES).flatMap((value) => toStored(type, value) ?? [])
}

async function inTime(given: unknown): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const fail = () => reject(new Error(`values() took longer than ${LONGEST_CALL_MS} ms`))
    timer = setTimeout(fail, LONGEST_CALL_MS)
  })
  return Promise.race([given, late]).finally(() => clearTimeout(timer))
}
