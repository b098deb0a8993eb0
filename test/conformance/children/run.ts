import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'

export interface Child {
  readonly lines: readonly string[]
  /** The next line that it writes, or its first when it has written already. */
  line(): Promise<string>
  /** Lets a program that waits for it begin. */
  go(): void
  kill(): Promise<void>
  /** Resolves with all its lines when it ended by itself. */
  ended(): Promise<readonly string[]>
}

/** Starts a program as a process that may be killed at any moment. */
export function startChild(file: URL, argument: unknown): Child {
  const path = fileURLToPath(file)
  const child = spawn(process.execPath, [path, JSON.stringify(argument)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines: string[] = []
  const output = createInterface({ input: child.stdout })
  output.on('line', (line) => lines.push(line))
  const closed = once(child, 'close')
  after(() => kill(child))
  return { lines, line, go: () => void child.stdin.end('go\n'), kill: () => kill(child), ended }

  async function line(): Promise<string> {
    if (lines.length === 0) await Promise.race([once(output, 'line'), closed])
    const [first] = lines
    if (first === undefined) throw new Error(`${path} ended without a word`)
    return first
  }

  async function ended() {
    await closed
    if (child.exitCode !== 0) throw new Error(`${path} ended with ${child.exitCode}`)
    return lines
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
