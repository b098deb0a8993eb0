import { okOrThrow, send } from './client.ts'

export interface MediaFile {
  readonly id: number
  readonly url: string
  readonly name: string
  readonly alternative_text: string | null
  readonly caption: string | null
  readonly mime: string
  readonly ext: string
  readonly width: number | null
  readonly height: number | null
  /** Kilobytes. */
  readonly size: number
  readonly folder: string
  readonly formats: Readonly<
    Record<string, { readonly url: string; readonly width: number; readonly height: number }>
  > | null
  readonly created_at: string
  readonly updated_at: string
}

export interface MediaPage {
  readonly data: readonly MediaFile[]
  readonly meta: { readonly page: number; readonly total: number; readonly total_pages: number }
}

export interface MediaQuery {
  readonly q?: string | undefined
  readonly folder?: string | undefined
  readonly page?: string | undefined
}

const PAGE = '40'

export async function listMedia(query: MediaQuery): Promise<MediaPage> {
  const search = new URLSearchParams({ per_page: PAGE, sort: 'created_at', order: 'desc' })
  for (const [name, value] of Object.entries(query)) if (value) search.set(name, value)
  return (await send<MediaPage>('/api/v1/media', { query: search })).body
}

/** The smallest picture that shows what it is; none for files of other kinds. */
export function previewOf(file: MediaFile): string | undefined {
  if (!file.mime.startsWith('image/')) return undefined
  return file.formats?.['thumbnail']?.url ?? file.url
}

/** With progress, which only the older of the two ways of the browser can tell. */
export function uploadFile(
  file: File,
  folder: string | undefined,
  onProgress: (share: number) => void,
): Promise<MediaFile> {
  return new Promise((resolve, reject) => {
    const form = new FormData()
    if (folder) form.append('folder', folder)
    form.append('file', file)
    const request = new XMLHttpRequest()
    request.open('POST', '/api/v1/media')
    request.upload.onprogress = ({ loaded, total }) => onProgress(total > 0 ? loaded / total : 0)
    request.onerror = () => reject(new TypeError('not reached'))
    request.onload = () => resolve(fileOf(request))
    request.send(form)
  })
}

async function fileOf(request: XMLHttpRequest): Promise<MediaFile> {
  const headers = { 'content-type': request.getResponseHeader('content-type') ?? '' }
  const answer = new Response(request.responseText, { status: request.status, headers })
  const { data }: { data: MediaFile } = await (await okOrThrow(answer)).json()
  return data
}
