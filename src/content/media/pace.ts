/**
 * Lets one piece of all uploads pass in each turn of the event loop. Whoever sends waits meanwhile, and
 * requests that take a few turns are answered as if there was one upload, however many there are.
 */
export function createPace(): (pass: () => void) => void {
  const waiting: (() => void)[] = []
  let isAsked = false
  return (pass) => {
    waiting.push(pass)
    ask()
  }

  function ask() {
    if (isAsked) return
    isAsked = true
    setImmediate(turn)
  }

  function turn() {
    isAsked = false
    waiting.shift()?.()
    if (waiting.length > 0) ask()
  }
}
