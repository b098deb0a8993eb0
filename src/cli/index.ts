/** The command line: finds the command, hands it its options, and turns errors into one line. */

import type { Command, Terminal } from './command.ts'
import { commands } from './commands.ts'
import { nearestWord, report } from './errors.ts'
import { commandHelp, overallHelp } from './help.ts'
import { operations } from './operations.ts'
import { parseInput } from './parse-input.ts'
import { UsageError } from './usage-error.ts'
import { version } from './version.ts'

/** Runs one command and returns the exit code: 0 done, 1 failed, 2 wrongly called. */
export async function runCli(args: readonly string[], output: Terminal): Promise<number> {
  try {
    return await dispatch(args, output)
  } catch (error) {
    return report(error, { output, debug: args.includes('--debug') })
  }
}

async function dispatch(args: readonly string[], output: Terminal): Promise<number> {
  const [first] = args
  if (first === undefined || first === '--help' || first === '-h' || first === 'help') {
    output.out(await helpFor(args.slice(1)))
    return first === undefined ? 2 : 0
  }
  if (first === '--version' || first === '-v' || first === 'version') {
    output.out(version())
    return 0
  }
  const { command, rest } = await findCommand(args)
  const input = parseInput(command, rest)
  if (input.flag('help')) {
    output.out(commandHelp(command))
    return 0
  }
  return (await command.run(input, { ...output, operations, loadConfig })) ?? 0

  async function loadConfig() {
    const config = await import('#config')
    // To a command with an option of this name the file means something else.
    const isOwn = Object.hasOwn(command.options, 'config')
    return config.loadConfig(isOwn ? undefined : input.text('config'))
  }
}

async function helpFor(words: readonly string[]): Promise<string> {
  if (words.length === 0) return overallHelp(commands)
  return commandHelp((await findCommand(words)).command)
}

async function findCommand(args: readonly string[]) {
  const command = match(args)
  if (command) return { command, rest: args.slice(command.name.split(' ').length) }
  const [first = '', second] = args
  if (first.startsWith('-')) throw new UsageError('name the command first, its options after it')

  const members = commands.filter(({ name }) => name.startsWith(`${first} `))
  if (members.length > 0 && second === undefined) {
    const names = members.map(({ name }) => name).join(', ')
    throw new UsageError(`"${first}" is a group of commands: ${names}`)
  }
  const wanted = members.length > 0 ? `${first} ${second}` : first
  const near = await nearestWord(
    wanted,
    commands.map(({ name }) => name),
  )
  const hint = near === undefined ? '' : `; did you mean "${near}"?`
  throw new UsageError(`there is no command "${wanted}"${hint}`)
}

function match(words: readonly string[]): Command | undefined {
  return commands.find(({ name }) => {
    const own = name.split(' ')
    return own.every((word, index) => word === words[index])
  })
}
