// npx runs the program below a shell. A signal to npx ends that shell, which tells nobody, and would leave
// the program running as an orphan. Only what Node 20 understands.

const LOOK_EVERY_MS = 250

/** Below npx, the end of its shell is taken as the SIGTERM that ended it. */
export function endWithNpx() {
  if (process.env['npm_command'] !== 'exec' || process.platform === 'win32') return
  const shell = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, LOOK_EVERY_MS)
  timer.unref()
}
