import { accepts } from './accepts.ts'
import type { Catalogue, Setting } from './catalogue.ts'
import { coerce } from './coerce.ts'
import type { SettingsFile } from './file.ts'
import { mask } from './mask.ts'
import { nearest } from './nearest.ts'

export type Origin = 'default' | 'file' | 'environment'
export type Environment = Readonly<Record<string, string | undefined>>

export interface Collected {
  readonly value: unknown
  readonly origin: Origin
}

interface Finding extends Collected {
  readonly setting: Setting
  /** The name under which the operator wrote it. */
  readonly written: string
}

/** What was set, by setting name, and every problem found: the operator mends all in one round. */
export function collect(catalogue: Catalogue, file: SettingsFile, env: Environment) {
  const values = new Map<string, Collected>()
  const problems: string[] = []
  const seen = new Set<string>()
  for (const [name, value] of file.members) {
    if (value === null) continue
    const setting = catalogue.byName.get(name)
    if (!setting) problems.push(unknownMember(catalogue, name))
    else if (name === 'config') problems.push('config cannot be set in the file itself')
    else if (seen.has(name)) problems.push(`${name} is set twice in the file`)
    else accept({ setting, value, origin: 'file', written: name })
    seen.add(name)
  }
  for (const [variable, text] of Object.entries(env)) {
    if (!variable.startsWith('ENTREPOT_') || text === undefined) continue
    const setting = catalogue.byVariable.get(variable)
    if (!setting) problems.push(unknownName(variable, catalogue.byVariable.keys()))
    else if (text !== '') {
      const value = coerce(setting.schema, text)
      accept({ setting, value, origin: 'environment', written: variable })
    }
  }
  return { values, problems }

  function accept(finding: Finding) {
    const { setting, value, origin } = finding
    if (accepts(setting.schema, value)) values.set(setting.name, { value, origin })
    else problems.push(refusal(finding))
  }
}

function refusal({ setting, value, written }: Finding): string {
  const shown = setting.secret ? '' : `, not ${JSON.stringify(mask(setting, value))}`
  return `${written} must be ${setting.expects}${shown}`
}

function unknownMember(catalogue: Catalogue, name: string): string {
  if (!catalogue.groups.has(name)) return unknownName(name, catalogue.byName.keys())
  const example = catalogue.all.find((setting) => setting.name.startsWith(`${name}.`))
  return `${name} must be an object with members such as ${example?.name}`
}

function unknownName(name: string, known: Iterable<string>): string {
  return `${name} is not a setting; did you mean ${nearest(name, known)}?`
}
