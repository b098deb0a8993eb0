import { Modal, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { type ContentType, entryPath, loadEntry } from '../../api/content.ts'
import { ScreenFault } from '../../parts/screen-fault.tsx'
import { Difference } from './difference.tsx'
import { loadWhole } from './entry.tsx'
import { includesOf, type Model, toForm } from './form-values.ts'

interface Props {
  readonly model: Model
  readonly type: ContentType
  readonly id: string
  readonly locale: string | undefined
  onClose(): void
}

/** What readers see beside what the next publication shows them. */
export function CompareLive({ model, type, id, locale, onClose }: Props) {
  const { data, error } = useQuery({
    queryKey: ['compare', type.uid, id, locale],
    queryFn: async () => {
      const include = includesOf(model, type.attributes).join(',') || undefined
      const live = await loadEntry(entryPath(type, id), { locale, include })
      const working = await loadWhole(model, type, id, locale)
      return [live, working].map(({ entry }) => toForm(model, type.attributes, entry))
    },
    gcTime: 0,
  })
  const [was, is] = data ?? []
  return (
    <Modal opened onClose={onClose} title="Live and working copy" size="xl">
      {error && <ScreenFault error={error} />}
      {was && is ? (
        <Difference {...{ model, type, was, is }} titles={['Live', 'Working copy']} />
      ) : (
        !error && <Skeleton h={120} />
      )}
    </Modal>
  )
}
