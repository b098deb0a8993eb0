import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const LIMIT_MS = 120_000

interface Block {
  readonly language: string
  /** The file its text is to be saved in, when a name follows the language. */
  readonly file: string | undefined
  readonly text: string
  readonly line: number
}

export interface Following {
  /** Where the commands run, and what they save. */
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** What the document calls otherwise than it is called here: `8080` is another port. */
  readonly names?: Readonly<Record<string, string>>
  /** Commands whose work is done already, such as `npm start`. */
  readonly done?: readonly string[]
}

/**
 * Does what a document says, as its reader would: saves the blocks that have a file name, runs the blocks of
 * `sh` in one shell in their order, and compares what each prints with the block of `text` or `json` below it.
 * There `…` stands for anything and white space for none. A block without one below it prints nothing.
 */
export async function followDocument(
  path: string,
  { cwd, env, names = {}, done = [] }: Following,
): Promise<void> {
  const blocks = blocksIn(readFileSync(join(ROOT, path), 'utf8'))
  const steps = stepsOf(blocks).filter(({ command }) => !done.includes(command.text.trim()))
  assert.ok(steps.length > 0, `${path} has no commands`)
  for (const { file, text } of blocks) if (file !== undefined) save(join(cwd, file), rename(text))
  const script = steps.map(
    ({ command }, at) => `printf "\\n${markOf(at)}\\n"\n${rename(command.text)}`,
  )
  const bin = programs(cwd)
  save(join(cwd, '.bin/steps'), ['set -eu -o pipefail', 'exec 2>&1', ...script].join('\n'))
  const shell = spawn('bash', [join(cwd, '.bin/steps')], {
    cwd,
    env: { HOME: process.env['HOME'] ?? '', ...env, PATH: `${bin}:${process.env['PATH']}` },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    timeout: LIMIT_MS,
  })
  const [printed] = await Promise.all([read(), once(shell, 'exit')])
  const outputs = printed.split(/^# step \d+\n/m).slice(1)
  for (const [at, { command, expected }] of steps.entries()) {
    const where = `${path}:${command.line}`
    const output = outputs[at]
    assert.ok(output !== undefined, `${where} was not reached; printed:\n${printed}`)
    assertPrinted(output, rename(expected?.text ?? ''), where)
  }
  assert.equal(shell.exitCode, 0, `${path} ended with ${shell.exitCode}; printed:\n${printed}`)

  function rename(given: string): string {
    // All at once: a name that was put in may have another one inside.
    const known = Object.keys(names).map(RegExp.escape).join('|')
    if (known === '') return given
    return given.replaceAll(new RegExp(known, 'g'), (name) => names[name] ?? name)
  }

  /** What was started in the background ends with the document, else nobody would see the end of its output. */
  async function read(): Promise<string> {
    shell.once('exit', () => {
      try {
        process.kill(-(shell.pid ?? 0), 'SIGKILL')
      } catch {
        // Nothing was left running.
      }
    })
    return text(shell.stdout)
  }
}

function markOf(at: number): string {
  return `# step ${at}`
}

function stepsOf(blocks: readonly Block[]) {
  return blocks.flatMap((command, at) => {
    if (command.language !== 'sh' || command.file !== undefined) return []
    const next = blocks[at + 1]
    const isOutput = next && next.file === undefined && ['text', 'json'].includes(next.language)
    return [{ command, expected: isOutput ? next : undefined }]
  })
}

function assertPrinted(output: string, expected: string, where: string): void {
  const wanted = expected.replaceAll(/\s+/g, '').split('…').map(RegExp.escape).join('[\\s\\S]*?')
  const found = output.replaceAll(/\s+/g, '')
  assert.ok(
    new RegExp(`^${wanted}$`).test(found),
    `${where} printed:\n${output}\nnot:\n${expected}`,
  )
}

function blocksIn(markdown: string): Block[] {
  const found = markdown.matchAll(/^```(\w*) ?(\S*)\n([\s\S]*?)^```$/gm)
  return [...found].map(({ 1: language = '', 2: file, 3: body = '', index }) => ({
    language,
    file: file || undefined,
    text: body,
    line: markdown.slice(0, index).split('\n').length,
  }))
}

function save(path: string, body: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, body)
}

/** `npx entrepot` without the second that npm takes to find it; that it does is tested with the package. */
function programs(cwd: string): string {
  const bin = join(cwd, '.bin')
  const npx = `#!/bin/sh\nshift\nexec '${process.execPath}' '${join(ROOT, 'bin/entrepot.mjs')}' "$@"\n`
  save(join(bin, 'npx'), npx)
  chmodSync(join(bin, 'npx'), 0o755)
  return bin
}
