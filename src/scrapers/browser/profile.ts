import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Machines may share a directory, and know only their own processes. */
const PREFIX = `entrepot-chromium-${hostname()}-`

/**
 * An empty directory for what a browser writes, named by the process that has to remove it. What processes left that
 * were killed goes first.
 */
export async function createProfile(
  owner: { readonly uid: number; readonly gid: number } | null,
): Promise<string> {
  await removeAbandoned()
  const profile = await mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-`))
  if (owner) await chown(profile, owner.uid, owner.gid)
  return profile
}

export async function removeProfile(profile: string): Promise<void> {
  await rm(profile, { recursive: true, force: true, maxRetries: 5 }).catch(() => {})
}

async function removeAbandoned(): Promise<void> {
  const names = await readdir(tmpdir()).catch(() => [])
  const abandoned = names.filter((name) => {
    const pid = pidIn(name)
    return pid !== undefined && !isRunning(pid)
  })
  await Promise.all(abandoned.map((name) => removeProfile(join(tmpdir(), name))))
}

/** Of a profile of this machine: the name of another one may begin as that of this one and go on with a number. */
function pidIn(name: string): number | undefined {
  const own = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : ''
  const pid = /^(\d+)-[^-]+$/.exec(own)?.[1]
  return pid === undefined ? undefined : Number(pid)
}

/** One that belongs to somebody else runs, too. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
