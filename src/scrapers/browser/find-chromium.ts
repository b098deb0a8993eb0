import { accessSync, constants, readFileSync } from 'node:fs'

export interface ChromiumSettings {
  /** Path of the program; undefined: pages cannot be rendered. */
  readonly chromium: string | undefined
  /** Who runs it when the server is root. */
  readonly chromiumUser: string | undefined
}

/** A program that can be started, or what the operator has to do first. */
export type FoundChromium =
  | { readonly command: string; readonly args: readonly string[]; readonly owner: Owner | null }
  | { readonly problem: string }

interface Owner {
  readonly uid: number
  readonly gid: number
}

const SETPRIV = '/usr/bin/setpriv'

/** Chromium protects the machine from pages only as an ordinary user, so root never runs it. */
export function findChromium({ chromium, chromiumUser }: ChromiumSettings): FoundChromium {
  if (chromium === undefined) {
    return { problem: 'Set scrapers.chromium to the path of a Chromium to render pages' }
  }
  if (!isExecutable(chromium)) {
    return { problem: `scrapers.chromium: ${chromium} is not a program that can be run` }
  }
  if (process.getuid?.() !== 0) return { command: chromium, args: [], owner: null }
  if (chromiumUser === undefined) {
    const problem = 'Set scrapers.chromium_user to an ordinary user: Chromium is never run as root'
    return { problem }
  }
  const owner = findUser(chromiumUser)
  if (!owner || owner.uid === 0) {
    return { problem: `scrapers.chromium_user: ${chromiumUser} is not an ordinary user here` }
  }
  if (!isExecutable(SETPRIV)) {
    return { problem: `Install setpriv (util-linux): it runs Chromium as ${chromiumUser}` }
  }
  const { uid, gid } = owner
  const args = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', chromium]
  return { command: SETPRIV, args, owner }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return path.startsWith('/')
  } catch {
    return false
  }
}

function findUser(name: string): Owner | undefined {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  const fields = lines.map((line) => line.split(':')).find(([own]) => own === name)
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])]
  return fields && Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined
}

/** Why no page can be rendered; null when one can. */
export function findChromiumProblem(settings: ChromiumSettings): string | null {
  const found = findChromium(settings)
  return 'problem' in found ? found.problem : null
}
