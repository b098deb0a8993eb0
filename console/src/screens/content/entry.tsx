import { Skeleton } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type ContentType,
  componentsQuery,
  entryPath,
  type LoadedEntry,
  loadEntry,
  typesQuery,
} from '../../api/content.ts'
import { ApiError } from '../../api/errors.ts'
import { useParam, useSearchText } from '../../location.ts'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { EntryForm } from './entry-form.tsx'
import { includesOf, type Model } from './form-values.ts'

export const NEW = 'new'

export default function EntryScreen() {
  const name = useParam('type')
  const id = useParam('id')
  const [{ locale }] = useSearchText()
  const { data: types, error } = useQuery(typesQuery)
  const { data: components } = useQuery(componentsQuery)
  if (error && !types) return <ScreenFault error={error} />
  if (!types || !components) return <Skeleton h={300} m="lg" />
  const type = types.find(({ pluralName }) => pluralName === name)
  if (!type) return <ScreenFault error={new Error(`There is no content type ${name}`)} />
  return (
    <OneEntry
      key={`${id} ${locale}`}
      model={{ types, components }}
      type={type}
      id={id}
      locale={locale}
    />
  )
}

interface Props {
  readonly model: Model
  readonly type: ContentType
  readonly id: string
  readonly locale: string | undefined
}

function OneEntry({ model, type, id, locale }: Props) {
  const isNew = id === NEW
  const client = useQueryClient()
  const queryKey = ['entry', type.uid, id, locale ?? '']
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: () => (isNew ? null : loadWhole(model, type, id, locale)),
    // What somebody is writing on must not change under their hands.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  // The document may have no entry in this language yet: then one is begun.
  const isMissing = error instanceof ApiError && error.status === 404 && locale !== undefined
  if (error && !isMissing && !data)
    return <ScreenFault error={error} reset={() => void refetch()} />
  if (data === undefined && !isMissing) return <Skeleton h={300} m="lg" />
  return (
    <EntryForm
      key={data?.etag ?? 'new'}
      model={model}
      type={type}
      id={id}
      locale={locale}
      loaded={data ?? null}
      reload={reload}
    />
  )

  /** What is typed while it is asked for is not taken away. */
  async function reload(isWanted: () => boolean): Promise<boolean> {
    const fresh = await loadWhole(model, type, id, locale).catch(() => undefined)
    if (!fresh || !isWanted()) return false
    client.setQueryData(queryKey, fresh)
    return true
  }
}

/** The tag first: a change between both questions is then noticed when saving. */
export async function loadWhole(
  model: Model,
  type: ContentType,
  id: string,
  locale: string | undefined,
): Promise<LoadedEntry> {
  const path = entryPath(type, id)
  const query = { locale, status: type.draftAndPublish ? 'all' : undefined }
  const { etag } = await loadEntry(path, query)
  const include = includesOf(model, type.attributes).join(',') || undefined
  const { entry } = await loadEntry(path, { ...query, include })
  return { entry, etag }
}
