import type { SettingRow } from '#config'
import type { Command } from '../command.ts'
import { table } from '../table.ts'

export const config: Command = {
  name: 'config',
  summary: 'show the effective settings and where each of them was set',
  arguments: [],
  options: {
    json: { type: 'boolean', summary: 'as JSON, for programs' },
  },
  details: [
    'Secrets are shown as ***. Values stored through the settings interface belong to the running',
    'server and are not part of this list.',
  ].join('\n'),
  async run(input, { loadConfig, out }) {
    const settings = await loadConfig()
    const { describeConfig } = await import('#config')
    const rows = describeConfig(settings)
    out(input.flag('json') ? renderJson(rows) : renderTable(rows))
  },
}

function renderJson(rows: readonly SettingRow[]): string {
  const members = rows.map(({ name, value = null, origin }) => [name, { value, origin }])
  return JSON.stringify(Object.fromEntries(members), null, 2)
}

function renderTable(rows: readonly SettingRow[]): string {
  const lines = rows.map(({ name, value, origin }) => [name, renderValue(value), origin])
  return table([['SETTING', 'VALUE', 'ORIGIN'], ...lines])
}

function renderValue(value: unknown): string {
  if (value === undefined) return '-'
  if (Array.isArray(value)) return value.length === 0 ? '[]' : value.map(renderItem).join(',')
  return String(value)
}

function renderItem(item: unknown): string {
  return typeof item === 'object' ? JSON.stringify(item) : String(item)
}
