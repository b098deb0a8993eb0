// Writes docs/settings.md from the schema of the settings; --check compares.
import { readFileSync, writeFileSync } from 'node:fs'
import { createCatalogue, type Setting } from '../src/config/catalogue.ts'

const FILE = new URL('../docs/settings.md', import.meta.url)

const HEAD = `# Settings

Generated from the schema by \`npm run docs:settings\`; do not edit. Every setting has a default or may be left out. Change one in
\`entrepot.config.json\` (\`{ "port": 8000, "gateway": { "threads": 2 } }\`) or in the environment, which wins: \`gateway.threads\` is
\`ENTREPOT_GATEWAY_THREADS\`. A name that does not exist stops the start and is answered with the nearest one that does. \`npx entrepot config\` shows all
values and where each came from, with secrets masked.
`

function renderSettingsDocs(): string {
  const groups = Map.groupBy(createCatalogue().all, ({ path }) => (path.length > 1 ? path[0] : ''))
  return [HEAD, ...[...groups].map(([, settings]) => renderGroup(settings))].join('\n')
}

function renderGroup(settings: readonly Setting[]): string {
  const [first] = settings
  const { name = '', path = [], area } = first ?? {}
  const title = path.length > 1 ? `\n## ${name.slice(0, name.indexOf('.'))}\n` : ''
  const live = area
    ? `\nCan be changed while the server runs: \`PATCH /api/v1/settings/${area}\`.\n`
    : ''
  const rows = settings.map(renderSetting)
  return `${title}${live}\n| Setting | Default | |\n|---|---|---|\n${rows.join('')}`
}

function renderSetting(setting: Setting): string {
  const { name, variable, summary, expects, secret } = setting
  const notes = [`must be ${expects}`, ...(secret ? ['secret'] : [])].join('; ')
  const names = `\`${name}\`<br>\`${variable}\``
  return `| ${names} | ${cell(defaultOf(setting))} | ${cell(`${summary} (${notes})`)} |\n`
}

function defaultOf({ default: value, derived }: Setting): string {
  if (derived !== undefined) return derived
  if (value === undefined) return ''
  const text = Array.isArray(value) ? value.join(',') : String(value)
  return text === '' ? 'empty' : `\`${text}\``
}

/** A bar would end the cell. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

if (import.meta.main) {
  const text = renderSettingsDocs()
  if (process.argv.includes('--check')) {
    if (readFileSync(FILE, 'utf8') !== text) {
      console.error('docs/settings.md is not current: run npm run docs:settings')
      process.exitCode = 1
    }
  } else writeFileSync(FILE, text)
}
