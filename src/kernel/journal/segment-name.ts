/** A segment is called `<boot>-<thread>-<number>.journal`; numbers of a thread increase. */
export interface SegmentName {
  readonly segment: string
  readonly boot: string
  readonly thread: string
  readonly number: number
  /** `done`: all of it is in the database, only its traces are left to remove. */
  readonly state: 'journal' | 'done'
}

const FILE = /^((?<boot>[a-z0-9]+)-(?<thread>[a-z0-9_.]+)-(?<number>\d+))\.(?<state>journal|done)$/
const PART = /^[a-z0-9_]+$/

export function segmentName(boot: string, thread: string, number: number): string {
  return `${boot}-${thread}-${number}`
}

export function requireNamePart(text: string): void {
  if (!PART.test(text)) throw new Error(`"${text}" cannot be part of a journal's file name`)
}

export function parseSegmentFile(file: string): SegmentName | undefined {
  const parts = FILE.exec(file)
  const { boot, thread, number, state } = parts?.groups ?? {}
  const segment = parts?.[1]
  if (segment === undefined || boot === undefined || thread === undefined) return undefined
  return {
    segment,
    boot,
    thread,
    number: Number(number),
    state: state === 'done' ? 'done' : 'journal',
  }
}
