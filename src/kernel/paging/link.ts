/** Paging parameters of each page that exists; `last` only where it is known. */
export interface PageLinks {
  readonly first?: PageParameters
  readonly prev?: PageParameters
  readonly next?: PageParameters
  readonly last?: PageParameters
}

type PageParameters = Readonly<Record<string, string | number>>

const RELATIONS = ['first', 'prev', 'next', 'last'] as const
const PAGING = ['page', 'per_page', 'cursor', 'after_id', 'before_id', 'limit']
// Credentials must not be passed on in a header that clients store and log.
const CREDENTIALS = ['api_key', 'ticket']

/** Every relation repeats the query, and usual clients read no response head over 16 KiB. */
const MAX_QUERY_LENGTH = 4 * 1024

/**
 * The `Link` header of a page (RFC 8288). `url` is the absolute public URL of the request; its
 * other parameters are kept. Undefined when no relation applies or the query is too long to repeat.
 */
export function renderLinkHeader(url: string | URL, links: PageLinks): string | undefined {
  const { protocol, host, pathname, search } = new URL(url)
  if (search.length > MAX_QUERY_LENGTH) return undefined
  // Those of the URL itself would write it anew at each change.
  const others = new URLSearchParams(search)
  for (const name of [...CREDENTIALS, ...PAGING]) others.delete(name)
  const kept = others.size > 0 ? `${others}&` : ''
  const entries = RELATIONS.flatMap((relation) => {
    const parameters = links[relation]
    if (!parameters) return []
    const target = `${protocol}//${host}${pathname}?${kept}${render(parameters)}`
    return `<${target}>; rel="${relation}"`
  })
  return entries.length > 0 ? entries.join(', ') : undefined
}

function render(parameters: PageParameters): string {
  return Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&')
}
