import { useEffect, useRef } from 'react'

/** Follows a stream of server-sent events while the screen is open; the sign-in opens it. */
export function useEvents(
  path: string | null,
  names: readonly string[],
  take: (name: string, data: string) => void,
): void {
  const latest = useRef(take)
  latest.current = take
  const list = names.join()
  useEffect(() => {
    if (path === null) return
    const source = new EventSource(path)
    for (const name of list.split(',')) {
      source.addEventListener(name, (event) => latest.current(name, String(event.data)))
    }
    return () => source.close()
  }, [path, list])
}
