import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'

export type SearchText = Readonly<Record<string, string | undefined>>

/** A part of the path; screens are only reached with it. */
export function useParam(name: string): string {
  const params: Record<string, string | undefined> = useParams({ strict: false })
  return params[name] ?? ''
}

/** What the screen shows is in the URL, so that a reload or a link shows the same. */
export function useSearchText(): [SearchText, (change: SearchText) => void] {
  const search: SearchText = useSearch({ strict: false })
  const navigate = useNavigate()
  const change = useCallback(
    (patch: SearchText) => {
      void navigate({ to: '.', search: (before: object) => ({ ...before, ...patch }) } as never)
    },
    [navigate],
  )
  return [search, change]
}

/** The page that the URL asks for; what is no number of a page is the first one. */
export function pageIn({ page = '' }: SearchText): number {
  return /^[1-9]\d{0,8}$/.test(page) ? Number(page) : 1
}

/** Opens an address below `/console`. */
export function useGo(): (path: string) => void {
  const navigate = useNavigate()
  return useCallback((path) => void navigate({ href: `/console${path}` } as never), [navigate])
}
