import type { ContentType } from '../model.ts'
import type { Registered } from './store/registry.ts'

/** PostgreSQL indexes no longer text; deeper trees than this have no use for readers. */
export const LONGEST_PATH = 2_000

type Place = Pick<Registered, 'locale' | 'no' | 'path'>

/**
 * The variant of the parent document under which a variant hangs: in its own language, else the one
 * without language, else in the default language, else the oldest.
 */
export function variantAbove<Variant extends Place>(
  variants: readonly Variant[],
  locale: string,
  defaultLocale: string,
): Variant | undefined {
  const inLocale = (wanted: string) => variants.find((variant) => variant.locale === wanted)
  return (
    inLocale(locale) ??
    inLocale('') ??
    inLocale(defaultLocale) ??
    variants.toSorted((one, other) => one.no - other.no)[0]
  )
}

interface Step {
  readonly type: Pick<ContentType, 'kind' | 'singularName' | 'pluralName'>
  readonly isRoot: boolean
  readonly above: Pick<Registered, 'path'> | undefined
  /** The value of the first uid attribute, else the id. */
  readonly slug: string
}

/** Content model §6. */
export function pathOf({ type, isRoot, above, slug }: Step): string {
  if (isRoot) return '/'
  const step = slug.toLowerCase()
  if (above?.path) return above.path === '/' ? `/${step}` : `${above.path}/${step}`
  return type.kind === 'singleType' ? `/${type.singularName}` : `/${type.pluralName}/${step}`
}

export function lastStep(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}
