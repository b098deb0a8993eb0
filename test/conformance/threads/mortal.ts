// A thread that is ready at once and dies when it is told to.
import { parentPort, workerData } from 'node:worker_threads'
import { READY, STOP } from '#threads'

parentPort?.on('message', (message) => {
  if (message === STOP) process.exit(0)
  if (message === 'die') throw new Error('told to die')
  if (message === 'exit') process.exit(3)
  parentPort?.postMessage(`${workerData} heard ${message}`)
})
if (workerData === 'stillborn') throw new Error('never ready')
if (workerData !== 'mute') parentPort?.postMessage(READY)
