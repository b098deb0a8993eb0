export { createFairQueue } from './fair-queue.ts'
export { createSlots } from './slots.ts'
