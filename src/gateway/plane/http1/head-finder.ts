import { isHopeless } from './head-text.ts'
import type { Inbox } from './inbox.ts'

export type HeadFault = 'malformed' | 'too_large'

const END_OF_HEAD = Buffer.from('\r\n\r\n')

/** Takes heads out of what has come; no byte is looked at twice. */
export function createHeadFinder(inbox: Inbox, maxBytes: number) {
  let searched = 0
  let fault: HeadFault | null = null
  return { find, reset, isBegun: () => searched > 0, fault: () => fault }

  /** The text before the empty line; undefined: more is needed, or there is a fault. */
  function find(): string | undefined {
    const bytes = inbox.bytes()
    const start = inbox.start()
    const end = bytes.indexOf(END_OF_HEAD, start + searched)
    if (end === -1) return look(bytes, start)
    searched = 0
    if (end - start > maxBytes) return stop('too_large')
    const text = bytes.toString('latin1', start, end)
    inbox.use(end + END_OF_HEAD.length)
    return text
  }

  function look(bytes: Buffer, start: number): undefined {
    const part = bytes.toString('latin1', start + Math.max(0, searched - 1), bytes.length)
    if (isHopeless(part, searched === 0)) return stop('malformed')
    const size = bytes.length - start
    if (size > maxBytes) return stop('too_large')
    searched = Math.max(1, size - END_OF_HEAD.length + 1)
  }

  function stop(why: HeadFault): undefined {
    fault = why
  }

  function reset(): void {
    searched = 0
    fault = null
  }
}
