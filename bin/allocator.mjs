// What the C library frees it keeps: the more, the larger the blocks were that it has seen. A server that has
// taken large bodies would stay at twice its size for ever. Only what Node 20 understands.

/** Larger blocks go back to the system at once, and what is free at the end of an arena beyond as much. */
const KEPT_BYTES = String(1024 * 1024)

/** Read by glibc when a process begins; other systems pass over it. */
export const ALLOCATOR = {
  MALLOC_MMAP_THRESHOLD_: KEPT_BYTES,
  MALLOC_TRIM_THRESHOLD_: KEPT_BYTES,
}

/** Begins the program anew in this process, unless it was begun this way or somebody else has chosen. */
export function useAllocator() {
  const isChosen = Object.keys(ALLOCATOR).some((name) => process.env[name] !== undefined)
  // A channel to the parent would not outlast it.
  if (isChosen || process.platform !== 'linux' || process.connected || !process.execve) return
  const args = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  process.execve(process.execPath, args, { ...process.env, ...ALLOCATOR })
}
