import { readdirSync, readFileSync } from 'node:fs'

interface Process {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

/** All processes below one, however deep. */
export function processesOf(root: number): Process[] {
  const all = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? read(name) : []))
  const byParent = Map.groupBy(all, ({ parent }) => parent)
  const below = (pid: number): Process[] =>
    (byParent.get(pid) ?? []).flatMap((child) => [child, ...below(child.pid)])
  return below(root)
}

/** Those in which the browser of a server shows pages. */
export function renderersOf(root: number): number[] {
  const renderers = processesOf(root).filter(({ command }) => command.includes('--type=renderer'))
  return renderers.map(({ pid }) => pid)
}

/** The threads of a process and how much they give way to others; 0 is the usual. */
export function threadsOf(pid: number): { readonly name: string; readonly nice: number }[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((id) => {
    try {
      const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')
      const end = stat.lastIndexOf(')')
      const name = stat.slice(stat.indexOf('(') + 1, end)
      return [{ name, nice: Number(stat.slice(end + 2).split(' ')[16]) }]
    } catch {
      return []
    }
  })
}

export function isAlive(pid: number): boolean {
  const [found] = read(String(pid))
  return found !== undefined && found.command !== ''
}

/** A process may end while it is looked at; one that only waits to be reaped has no command. */
function read(pid: string): Process[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 1).split(' ')[2])
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    return [{ pid: Number(pid), parent, command }]
  } catch {
    return []
  }
}
