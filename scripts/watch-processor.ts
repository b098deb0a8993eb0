import { cpus } from 'node:os'

const LOOK_EVERY_MS = 1_000
/** What was begun has to show what it takes before more is begun. */
const LOOKS = 4
/** Of all cores: with less, whatever is begun takes from the others. */
const IDLE_SHARE = 0.25

/** Tells each time that cores have had nothing to do for a while. */
export function watchProcessor(onIdle: () => void) {
  const first = readTimes()
  let seen = [first]
  const timer = setInterval(() => {
    seen = [...seen, readTimes()].slice(-LOOKS)
    const [oldest = first] = seen
    if (seen.length < LOOKS || shareSince(oldest) < IDLE_SHARE) return
    noteBegin()
    onIdle()
  }, LOOK_EVERY_MS)
  timer.unref()
  return { noteBegin, idleShare: () => shareSince(first), stop: () => clearInterval(timer) }

  function noteBegin() {
    seen = [readTimes()]
  }
}

interface Times {
  readonly idle: number
  readonly all: number
}

function shareSince(before: Times): number {
  const { idle, all } = readTimes()
  return all === before.all ? 0 : (idle - before.idle) / (all - before.all)
}

function readTimes(): Times {
  const times = cpus().map((core) => core.times)
  const all = times.flatMap((core) => Object.values(core)).reduce((sum, ms) => sum + ms, 0)
  return { idle: times.reduce((sum, core) => sum + core.idle, 0), all }
}
