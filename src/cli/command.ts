import type { Config } from '#config'
import type { Operations } from './operations.ts'

export interface Output {
  /** One line or more of what was asked for. */
  out(text: string): void
  /** What a person should read and a script should not. */
  err(text: string): void
  /** How far it is, on one line that is written over; only where a person watches. */
  progress?(text: string): void
  /** Resolves with the line that was typed; only where a person can be asked. */
  ask?(question: string): Promise<string>
}

/** The terminal or whatever stands in for one. */
export interface Terminal extends Output {
  /** Text as it is, without a line end; resolves when its reader has room for more. */
  write(text: string): Promise<void>
}

interface Context extends Terminal {
  readonly operations: Operations
  /** Reads the settings; a wrong one ends the command with a readable message. */
  loadConfig(): Promise<Config>
}

export interface Option {
  readonly type: 'boolean' | 'string'
  readonly short?: string
  /** What stands after the option in the help: `<file>`. */
  readonly value?: string
  readonly summary: string
}

/** What the user typed after the command, checked against its options and arguments. */
export interface Input {
  flag(name: string): boolean
  text(name: string): string | undefined
  /** The positional argument of that name. */
  argument(name: string): string
}

/** A command is one file under `commands/`. It must load nothing heavy before it runs. */
export interface Command {
  /** One or two words: `backup`, `keys issue`. */
  readonly name: string
  readonly summary: string
  /** Names of the positional arguments, all required. */
  readonly arguments: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  /** Further paragraphs of the help. */
  readonly details?: string
  /** Returns the exit code when it is not 0. */
  run(input: Input, context: Context): Promise<number | undefined>
}

export const COMMON_OPTIONS: Readonly<Record<string, Option>> = {
  config: {
    type: 'string',
    value: '<file>',
    summary: 'settings file instead of ./entrepot.config.json',
  },
  debug: { type: 'boolean', summary: 'show where an error arose' },
  help: { type: 'boolean', short: 'h', summary: 'show this help' },
}
