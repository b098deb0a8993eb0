import type { Issue } from '#kernel'
import { isObject } from '#kernel'
import { kindOf } from '../fields/index.ts'
import { compilePattern } from '../fields/support/patterns.ts'
import type { Attribute, MediaClass, ScalarAttribute } from '../model.ts'
import { ATTRIBUTE_SCHEMAS, RELATION_KINDS } from './attribute-schemas.ts'
import type { AttributeOptions, AttributeSpec } from './definition.ts'
import { ATTRIBUTE_NAME } from './names.ts'

/** The checker of schemas; loaded only where definitions are changed. */
export type SchemaChecker = Pick<typeof import('typebox/schema'), 'Errors'>

type Raw = Readonly<Record<string, unknown>>

type Parsed =
  | { readonly spec: AttributeSpec; readonly issues: readonly [] }
  | { readonly spec?: undefined; readonly issues: readonly Issue[] }

const ALL_MEDIA: readonly MediaClass[] = ['images', 'videos', 'audios', 'files']

/** One member of `attributes`, or everything that is wrong with it by itself. */
export function parseAttribute(
  checker: SchemaChecker,
  name: string,
  given: unknown,
  at: Issue['path'],
): Parsed {
  // As schema files of the modelled system have it.
  const raw =
    isObject(given) && given['type'] === 'blocks'
      ? { ...given, type: 'richtext', format: 'blocks' }
      : given
  const named = ATTRIBUTE_NAME.test(name) ? [] : [badName(name, at)]
  if (!isObject(raw)) return failed([...named, issue(at, 'type', 'must be an object')])
  const refusal = refusedType(raw, at)
  if (refusal) return failed([...named, refusal])
  const issues = [...named, ...schemaIssues(checker, raw, at)]
  if (issues.length > 0) return failed(issues)
  const options = toOptions(raw)
  const wrong = checkOptions(name, options, at)
  if (wrong.length > 0) return failed(wrong)
  const renamedFrom = typeof raw['renamedFrom'] === 'string' ? raw['renamedFrom'] : null
  return { spec: { name, renamedFrom, options, at }, issues: [] }
}

function failed(issues: readonly Issue[]): Parsed {
  return { issues }
}

export function issue(path: Issue['path'], rule: string, sentence: string): Issue {
  return { path, rule, message: `${path.join('.')} ${sentence}` }
}

function badName(name: string, at: Issue['path']): Issue {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name
  const message = `"${shown}" is no name of an attribute: a letter, then at most 59 letters, digits or _`
  return { path: at, rule: 'pattern', message }
}

/** Kinds that cannot be had, with the reason. */
function refusedType(raw: Raw, at: Issue['path']): Issue | undefined {
  const path = [...at, 'type']
  const { type } = raw
  if (type === undefined) return issue(path, 'required', 'is required')
  if (typeof type !== 'string' || !ATTRIBUTE_SCHEMAS.has(type)) {
    return issue(path, 'enum', `must be one of ${[...ATTRIBUTE_SCHEMAS.keys()].join(', ')}`)
  }
  if (type === 'relation' && isPolymorphic(raw)) {
    const sentence = 'is polymorphic, which is not offered; define one relation per target'
    return issue([...at, 'relation'], 'polymorphic', sentence)
  }
  return undefined
}

function isPolymorphic({ relation, target }: Raw): boolean {
  return (typeof relation === 'string' && /morph/i.test(relation)) || Array.isArray(target)
}

function schemaIssues(checker: SchemaChecker, raw: Raw, at: Issue['path']): Issue[] {
  const schema = ATTRIBUTE_SCHEMAS.get(String(raw['type']))
  if (!schema) return []
  const unknown = Object.keys(raw).filter((member) => !Object.hasOwn(schema.properties, member))
  if (unknown.length > 0) {
    const sentence = `is no option of the type ${raw['type']}`
    return unknown.map((member) => issue([...at, member], 'unknown_field', sentence))
  }
  const [valid, errors] = checker.Errors(schema, raw)
  if (valid) return []
  return errors.map(({ keyword, instancePath, message, params }) => {
    const path = [...at, ...steps(instancePath), ...missing(params)]
    return issue(path, keyword, keyword === 'required' ? 'is required' : message)
  })
}

function steps(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function missing(params: object): string[] {
  const given = 'requiredProperties' in params ? params.requiredProperties : []
  return Array.isArray(given) ? given.slice(0, 1).map(String) : []
}

/** The schema has been checked; what is absent gets its default. */
function toOptions(raw: Raw): AttributeOptions {
  const common = {
    required: raw['required'] === true,
    unique: raw['unique'] === true,
    private: raw['private'] === true,
    searchable: raw['searchable'] !== false,
    localized: localizedOf(raw) ?? true,
    unversioned: raw['unversioned'] === true,
  }
  switch (raw['type']) {
    case 'media': {
      const allowed = ALL_MEDIA.filter((media) => listOf(raw['allowedTypes']).includes(media))
      const allowedTypes = allowed.length > 0 ? allowed : ALL_MEDIA
      return { ...common, type: 'media', multiple: raw['multiple'] === true, allowedTypes }
    }
    case 'relation':
      return {
        ...common,
        type: 'relation',
        relation: RELATION_KINDS.find((kind) => kind === raw['relation']) ?? 'manyToOne',
        target: String(raw['target']),
        ...texts(raw, ['inversedBy', 'mappedBy', 'targetAttribute']),
      }
    case 'component':
      return {
        ...common,
        type: 'component',
        component: String(raw['component']),
        repeatable: raw['repeatable'] === true,
        ...pick(raw, ['min', 'max']),
      }
    case 'dynamiczone':
      return {
        ...common,
        type: 'dynamiczone',
        components: listOf(raw['components']).map(String),
        ...pick(raw, ['min', 'max']),
      }
    default:
      return scalarOptions(raw, common)
  }
}

type Common = Pick<
  Attribute,
  'required' | 'unique' | 'private' | 'searchable' | 'localized' | 'unversioned'
>

const NOT_OWN = new Set([
  'required',
  'unique',
  'private',
  'searchable',
  'localized',
  'unversioned',
  'pluginOptions',
  'renamedFrom',
])

function scalarOptions(raw: Raw, common: Common): AttributeOptions {
  const own = Object.fromEntries(Object.entries(raw).filter(([member]) => !NOT_OWN.has(member)))
  if (own['default'] === null) delete own['default']
  const options = { ...common, ...own }
  if (!isScalarOptions(options)) throw new Error('checked by the schema of its type')
  return options
}

type ScalarOptions = Exclude<
  AttributeOptions,
  { type: 'media' | 'relation' | 'component' | 'dynamiczone' }
>

function isScalarOptions(options: object): options is ScalarOptions {
  return 'type' in options
}

/** Rules between options, and of values given in them. */
function checkOptions(name: string, options: AttributeOptions, at: Issue['path']): Issue[] {
  if (options.type === 'relation' || options.type === 'media') return []
  const issues = [
    ...rangeIssues(options, 'min', 'max', at),
    ...rangeIssues(options, 'minLength', 'maxLength', at),
  ]
  if (options.type === 'component' || options.type === 'dynamiczone') return issues
  if (options.unique && !kindOf(options).column.compared) {
    issues.push(issue([...at, 'unique'], 'not_comparable', `is not offered for ${options.type}`))
  }
  if (options.type === 'string' && options.regex !== undefined && !compilePattern(options.regex)) {
    return [
      ...issues,
      issue(
        [...at, 'regex'],
        'regex',
        'is no regular expression, or one with look-around or back-references',
      ),
    ]
  }
  return [...issues, ...defaultIssues({ ...options, no: 0, name }, at)]
}

function rangeIssues(options: object, low: string, high: string, at: Issue['path']): Issue[] {
  const given = new Map(Object.entries(options))
  const [min, max] = [given.get(low), given.get(high)]
  if (min === undefined || max === undefined) return []
  if (compareNumbers(min, max) <= 0) return []
  return [issue([...at, high], 'range', `must not be less than ${low}`)]
}

/** Bounds of bigintegers may be texts beyond what a number holds. */
function compareNumbers(a: unknown, b: unknown): number {
  if (typeof a === 'string' || typeof b === 'string') {
    try {
      const [one, two] = [BigInt(String(a)), BigInt(String(b))]
      return one < two ? -1 : Number(one > two)
    } catch {
      return 0
    }
  }
  return Number(a) - Number(b)
}

function defaultIssues(attribute: ScalarAttribute, at: Issue['path']): Issue[] {
  if (attribute.default === undefined) return []
  const path = [...at, 'default']
  if (attribute.type === 'uid' || attribute.type === 'password') {
    return [issue(path, 'default', `is not offered for ${attribute.type}`)]
  }
  const result = kindOf(attribute).parse(attribute.default, attribute)
  return result.ok ? [] : [issue(path, result.rule, result.message)]
}

/** `localized`, or the spelling of existing schema files. */
export function localizedOf(raw: Raw): boolean | undefined {
  if (typeof raw['localized'] === 'boolean') return raw['localized']
  const plugins = raw['pluginOptions']
  const i18n = isObject(plugins) ? plugins['i18n'] : undefined
  const localized = isObject(i18n) ? i18n['localized'] : undefined
  return typeof localized === 'boolean' ? localized : undefined
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function texts<K extends string>(raw: Raw, names: readonly K[]): { [M in K]?: string } {
  const found: { [M in K]?: string } = {}
  for (const name of names) {
    const value = raw[name]
    if (typeof value === 'string') found[name] = value
  }
  return found
}

function pick<K extends string>(raw: Raw, names: readonly K[]): { [M in K]?: number } {
  const found: { [M in K]?: number } = {}
  for (const name of names) {
    const value = raw[name]
    if (typeof value === 'number') found[name] = value
  }
  return found
}
