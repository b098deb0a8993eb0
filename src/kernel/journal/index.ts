// Records that survive the process before the answer leaves it.
export type { JournalAddress } from './address.ts'
export { createJournalDrain } from './drain.ts'
export { CLIENT_GONE, holdLastChunk } from './held-answer.ts'
export { openJournal } from './open.ts'
export type { JournalRecord } from './segment-reader.ts'
export { createJournalWriter, type JournalWriter } from './writer.ts'
