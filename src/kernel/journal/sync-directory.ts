import { open } from 'node:fs/promises'

/** Makes created, renamed and removed names of a directory survive a power loss. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
