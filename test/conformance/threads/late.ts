// A thread that listens once it may, beside any other that does, and never answers.
import { createServer } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { READY, STOP } from '#threads'

const { port, heldBack }: { port: number; heldBack: SharedArrayBuffer } = workerData
Atomics.wait(new Int32Array(heldBack), 0, 1)
parentPort?.on('message', (message) => {
  if (message === STOP) process.exit(0)
})
createServer().listen({ port, host: '127.0.0.1', reusePort: true }, () => {
  parentPort?.postMessage(READY)
})
