import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'

/** One line of standard input; at a terminal it is asked for and not shown while it is typed. */
export async function readSecret(question: string, ask: (text: string) => void): Promise<string> {
  const { stdin } = process
  const isTerminal = stdin.isTTY === true
  if (isTerminal) ask(question)
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: nowhere, terminal: isTerminal })
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
  }
}
