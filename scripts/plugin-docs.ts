// Writes docs/plugins.md from the schemas and doc comments of the gateway's plugins; --check compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { loadPlugins } from '../src/gateway/plugins/load.ts'

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly expects?: string
  readonly description?: string
  readonly default?: unknown
}

const FILE = new URL('../docs/plugins.md', import.meta.url)
const PLUGINS = new URL('../src/gateway/plugins/', import.meta.url)
/** The upstream inside a split has a page of its own in the administration. */
const MAX_DEPTH = 3

function renderPluginDocs(): string {
  const sections = loadPlugins().all.map(renderPlugin)
  return `${HEAD}\n${sections.join('\n')}`
}

const HEAD = `# Plugins of the gateway

Generated from the plugins themselves by \`npm run docs:plugins\`; do not edit. Highest priority first, which is the order they run in within a phase.
Every plugin also takes \`_meta\`: \`disable\`, \`priority\`, \`filter\` (conditions as in \`vars\`), \`error_response\`. Settings that are not
listed are ignored, or refused by name when the plugin of other gateways has them and this one does not.
`

type Plugin = ReturnType<typeof loadPlugins>['all'][number]

function renderPlugin({ name, priority, schema, consumerSchema, secrets, authenticates }: Plugin) {
  const own = renderSettings(schema, secrets)
  const consumer = consumerSchema
    ? `\nOn a consumer or credential:\n\n${renderSettings(consumerSchema, secrets)}`
    : ''
  const says = authenticates ? ' Says who calls.' : ''
  return `## ${name}\n\nPriority ${priority}. ${commentOf(name)}${says}\n\n${own}${consumer}`
}

/** The sentence above the definition. */
function commentOf(name: string): string {
  const source = readFileSync(new URL(`${name}.ts`, PLUGINS), 'utf8')
  const [, comment = ''] =
    /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\nexport default definePlugin/.exec(source) ?? []
  return comment
    .replace(/^\s*\* ?/gm, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}

function renderSettings(schema: Schema, secrets: readonly string[]): string {
  const rows = membersOf(schema, '', 0).map(({ path, member, isRequired }) => {
    const notes = [
      ...(isRequired ? ['required'] : []),
      ...(member.default === undefined ? [] : [`default \`${JSON.stringify(member.default)}\``]),
      ...(secrets.includes(path) ? ['secret'] : []),
    ]
    return `| \`${path}\` | ${cell(describe(member))} | ${notes.join(', ')} |\n`
  })
  if (rows.length === 0) return 'No settings.\n'
  return `| Setting | Value | |\n|---|---|---|\n${rows.join('')}`
}

interface Row {
  readonly path: string
  readonly member: Schema
  readonly isRequired: boolean
}

function membersOf(schema: Schema, prefix: string, depth: number): Row[] {
  const { properties = {}, required = [] } = schema
  return Object.entries(properties).flatMap(([name, member]) => {
    const path = `${prefix}${name}`
    const inner = innerOf(member)
    const below =
      inner && depth < MAX_DEPTH && Object.keys(inner.schema.properties ?? {}).length < 12
        ? membersOf(inner.schema, `${path}${inner.mark}.`, depth + 1)
        : []
    return [{ path, member, isRequired: required.includes(name) }, ...below]
  })
}

function innerOf(member: Schema): { schema: Schema; mark: string } | undefined {
  if (member.properties) return { schema: member, mark: '' }
  return member.items?.properties ? { schema: member.items, mark: '[]' } : undefined
}

function describe(schema: Schema): string {
  if (schema.description !== undefined) return schema.description
  if (schema.expects !== undefined) return schema.expects.replace(/^must (be|have) /, '')
  if (schema.enum) return schema.enum.map((each) => `\`${each}\``).join(', ')
  if (schema.const !== undefined) return `\`${schema.const}\``
  if (schema.anyOf) return schema.anyOf.map(describe).join(' or ')
  switch (schema.type) {
    case 'integer':
    case 'number':
      return `${schema.type}${rangeOf(schema)}`
    case 'string':
      return `text${sizeOf(schema.minLength, schema.maxLength, 'characters')}`
    case 'boolean':
      return '`true` or `false`'
    case 'array':
      return `list${schema.items ? ` of ${describe(schema.items)}` : ''}${sizeOf(schema.minItems, schema.maxItems, 'items')}`
    case 'object':
      return schema.patternProperties ? mapOf(schema) : 'object'
    default:
      return 'any value'
  }
}

function mapOf({ patternProperties = {} }: Schema): string {
  const [every] = Object.values(patternProperties)
  return `map${every ? ` of ${describe(every)}` : ''}`
}

function rangeOf({ minimum, maximum, exclusiveMinimum }: Schema): string {
  if (exclusiveMinimum !== undefined) return ` above ${exclusiveMinimum}`
  if (minimum === undefined) return ''
  return maximum === undefined ? ` from ${minimum}` : ` from ${minimum} to ${maximum}`
}

function sizeOf(least: number | undefined, most: number | undefined, noun: string): string {
  if (most !== undefined) return ` of ${least ?? 0} to ${most} ${noun}`
  return least ? ` of at least ${least} ${noun}` : ''
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

if (import.meta.main) {
  const text = renderPluginDocs()
  if (process.argv.includes('--check')) {
    if (readFileSync(FILE, 'utf8') !== text) {
      console.error('docs/plugins.md is not current: run npm run docs:plugins')
      process.exitCode = 1
    }
  } else writeFileSync(FILE, text)
}
