// What happened, appended in the transaction that did it and read in order after it.
export { createOutbox, type NewEvent, type Outbox } from './outbox.ts'
export { createEventReader, type Event, type EventAudience, type EventReader } from './reader.ts'
export { createSequencer } from './sequencer.ts'
export { SEQUENCED_TOPIC } from './tables.ts'
