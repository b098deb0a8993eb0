/** Of this thread, as its event loop is. */
const waiting: (() => void)[] = []

/**
 * Between two pieces of long work, such as uploads and lists of entries: other requests have their turn. One piece is
 * done in each turn of the event loop, however many have long work, so that whoever asks for little waits for a piece and
 * not for one of each of them.
 */
export function breathe(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(goOn)
  })
}

function goOn(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(goOn)
}
