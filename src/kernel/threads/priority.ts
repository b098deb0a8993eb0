import { constants, setPriority } from 'node:os'

/**
 * For a thread whose work may wait: where cores are scarce, those that answer requests go first. What the
 * thread starts afterwards, threads and processes, gives way like itself.
 */
export function giveWay(): void {
  // Elsewhere a priority belongs to the whole process, which must keep its own.
  if (process.platform !== 'linux') return
  try {
    setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // A sandbox that forbids it costs others some latency and nothing else.
  }
}
