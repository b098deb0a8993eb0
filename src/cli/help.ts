import { COMMON_OPTIONS, type Command, type Option } from './command.ts'
import { table } from './table.ts'
import { version } from './version.ts'

export function overallHelp(commands: readonly Command[]): string {
  const list = commands.map((command) => [`  ${synopsis(command)}`, command.summary])
  return [
    `Entrepot ${version()}: one server that collects, keeps, publishes, sells and routes content`,
    '',
    'Usage: entrepot <command> [options]',
    '',
    'Commands:',
    table(list),
    '',
    'Options of every command:',
    optionTable(COMMON_OPTIONS),
    '',
    '"entrepot --version" prints the version, "entrepot help <command>" the options of a command.',
    'Settings come from ./entrepot.config.json and from the environment, which wins: the setting',
    'gateway.port is ENTREPOT_GATEWAY_PORT. "entrepot config" shows all of them.',
    'Exit codes: 0 done, 1 failed, 2 wrongly called.',
  ].join('\n')
}

export function commandHelp(command: Command): string {
  // A command may use a common name in its own way; it stays among its own.
  const options = { ...command.options, ...COMMON_OPTIONS, ...command.options }
  const head = `Usage: entrepot ${synopsis(command)} [options]`
  const details = command.details === undefined ? [] : ['', command.details]
  const sentence = `${command.summary.charAt(0).toUpperCase()}${command.summary.slice(1)}.`
  return [head, '', sentence, ...details, '', 'Options:', optionTable(options)].join('\n')
}

function synopsis({ name, arguments: names }: Command): string {
  return [name, ...names.map((argument) => `<${argument}>`)].join(' ')
}

function optionTable(options: Readonly<Record<string, Option>>): string {
  const rows = Object.entries(options).map(([name, { short, value, summary }]) => {
    const spelling = `${short ? `-${short}, ` : ''}--${name}${value ? ` ${value}` : ''}`
    return [`  ${spelling}`, summary]
  })
  return table(rows)
}
