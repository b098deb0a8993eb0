import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { after } from 'node:test'
import type { Moment, ProgramSettings } from './program.ts'

/** One life of the program, from its start to its death. */
export function startVictim(settings: ProgramSettings) {
  const program = new URL('./program.ts', import.meta.url)
  const child: ChildProcess = fork(program, [JSON.stringify(settings)])
  const seen = new Set<Moment>()
  const ended = once(child, 'exit')
  let onMoment = () => {}
  child.on('message', (moment: Moment) => {
    seen.add(moment)
    onMoment()
  })
  after(() => child.kill('SIGKILL'))
  return { reached, kill, stop }

  /** Resolves when the program tells of this moment; rejects when it ends before. */
  async function reached(moment: Moment): Promise<void> {
    seen.delete('transaction')
    const told = new Promise<void>((resolve) => {
      onMoment = () => {
        if (seen.has(moment)) resolve()
      }
      onMoment()
    })
    await Promise.race([told, ended.then(([code]) => Promise.reject(new Error(`ended ${code}`)))])
  }

  async function kill() {
    child.kill('SIGKILL')
    await ended
  }

  /** The orderly way; returns the exit code. */
  async function stop(): Promise<number> {
    child.kill('SIGTERM')
    const [code] = await ended
    return code
  }
}
