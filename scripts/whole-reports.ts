// Loaded before each test file. A test process ends as soon as its tests are done, and what it has not
// written by then is lost: on a pipe Node writes without waiting, so a run could be green with
// tests missing from it. A blocking pipe holds nothing back.
const { _handle } = process.stdout as { _handle?: { setBlocking?(isBlocking: boolean): void } }
_handle?.setBlocking?.(true)
