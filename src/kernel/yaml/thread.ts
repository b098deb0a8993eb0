// Runs as a short-lived thread: to read or write half a megabyte of YAML takes most of a second, in which
// the thread that was asked for it goes on with other requests.
import { parentPort, workerData } from 'node:worker_threads'
import type { Task, TaskOutcome } from './apart.ts'
import { parseYaml, YamlFault } from './parse.ts'
import { renderYaml } from './render.ts'

// A text can hold a hundred thousand faults; where in our code each was found interests nobody.
Error.stackTraceLimit = 0
const task: Task = workerData
parentPort?.postMessage(run(task))

function run({ text, limits }: Task): TaskOutcome {
  if (limits === null) return { text: renderYaml(JSON.parse(text)) }
  try {
    return { text: JSON.stringify(parseYaml(text, limits).value) }
  } catch (error) {
    if (error instanceof YamlFault) return { fault: error.message }
    throw error
  }
}
