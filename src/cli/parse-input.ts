import { parseArgs } from 'node:util'
import { COMMON_OPTIONS, type Command, type Input } from './command.ts'
import { UsageError } from './usage-error.ts'

export function parseInput(command: Command, args: readonly string[]): Input {
  const { values, positionals } = parse(command, args)
  const flag = (name: string) => values[name] === true
  // Whoever asks for help should get it, also with arguments missing.
  if (!flag('help')) checkCount(command, positionals)
  return {
    flag,
    text: (name) => {
      const value = values[name]
      return typeof value === 'string' ? value : undefined
    },
    argument: (name) => positionals[command.arguments.indexOf(name)] ?? '',
  }
}

function parse(command: Command, args: readonly string[]) {
  const options = { ...COMMON_OPTIONS, ...command.options }
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true, strict: true })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // Only the first sentence: the rest explains how to pass arguments that look like options.
    const [sentence = ''] = error.message.split('. ')
    throw new UsageError(`${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`)
  }
}

function checkCount(command: Command, given: readonly string[]) {
  const missing = command.arguments[given.length]
  if (missing !== undefined) throw new UsageError(`"${command.name}" needs <${missing}>`)
  const surplus = given[command.arguments.length]
  if (surplus !== undefined) throw new UsageError(`"${command.name}" does not take "${surplus}"`)
}
