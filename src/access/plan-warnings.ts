import { compileEndpoints } from './endpoints.ts'

/** A content type that can be read without a key, by the paths below which its entries are. */
export interface PublicType {
  readonly name: string
  readonly paths: readonly string[]
}

/**
 * What the maker of a plan should know: who sells what everybody may read sells nothing. `*` and
 * wildcards name no type, so they are not warned of.
 */
export function warningsOf(
  endpoints: readonly string[],
  publicTypes: readonly PublicType[],
): string[] {
  return publicTypes.flatMap(({ name, paths }) => {
    const endpoint = endpoints.find((each) => paths.some((path) => names(each, path)))
    if (endpoint === undefined) return []
    return [
      `${endpoint} names the content type ${name}, which can be read without a key: ` +
        `set publicRead to false on the type so that only holders of a key can read it`,
    ]
  })
}

function names(endpoint: string, path: string): boolean {
  const last = path.slice(path.lastIndexOf('/'))
  const permits = compileEndpoints([endpoint])
  // Followed by another segment or by nothing: `/articles` is not named by `/articles-archive`.
  const isNamed = endpoint.endsWith(last) || endpoint.includes(`${last}/`)
  return isNamed && (permits('GET', path) || permits('GET', `${path}/1`))
}
