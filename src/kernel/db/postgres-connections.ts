/** Of each kind; a connection is opened when it is first needed. */
export interface Connections {
  readonly reader: number
  readonly scanner: number
  readonly writer: number
  /** Each carries many plans; commits of several are synced together. */
  readonly plans: number
  /** Of what plans ask before: short questions, which need not wait for reads that are long. */
  readonly questions: number
}

/** Of a process, where nothing else is said. */
export const MOST_CONNECTIONS = 80
const FEWEST_CONNECTIONS = 20
const OTHER_THREADS = 2
/** Counting and notices. */
const OTHER_USES = 3
/** Somebody may want to look what is going on. */
const LEFT_TO_OTHERS = 2
const KINDS = 5
/** What a process with the usual number has of each kind beyond the first. */
const WEIGHTS = { reader: 0.3, scanner: 0.06, plans: 0.23, questions: 0.12 }

/** How many a process opens at most, of those that it may and the server allows. */
export function mostConnections(wanted: number, allowed: number): number {
  return Math.max(FEWEST_CONNECTIONS, Math.min(wanted, allowed - LEFT_TO_OTHERS))
}

/** The share of a thread that works in the background: there are two of them, and the main thread has the rest. */
export function shareOfThread(most: number): number {
  return Math.max(KINDS, Math.floor(most / 4))
}

export function shareOfMain(most: number): number {
  return most - OTHER_THREADS * shareOfThread(most) - OTHER_USES
}

/** Of every kind one, so that none waits for another for ever. */
export function splitConnections(share: number): Connections {
  const more = (weight: number) => 1 + Math.floor((share - KINDS) * weight)
  const { reader, scanner, plans, questions } = WEIGHTS
  const split = {
    ...{ reader: more(reader), scanner: more(scanner) },
    ...{ plans: more(plans), questions: more(questions) },
  }
  const used = split.reader + split.scanner + split.plans + split.questions
  return { ...split, writer: share - used }
}
