import { AspectRatio, Center, Image, SimpleGrid, Stack, Text, UnstyledButton } from '@mantine/core'
import { type MediaFile, previewOf } from '../api/media.ts'
import { icons } from './icons.tsx'

interface Props {
  readonly files: readonly MediaFile[]
  onOpen(file: MediaFile): void
}

export function MediaGrid({ files, onOpen }: Props) {
  return (
    <SimpleGrid cols={{ base: 2, xs: 3, sm: 4, lg: 6 }} spacing="sm">
      {files.map((file) => (
        <UnstyledButton key={file.id} onClick={() => onOpen(file)} className="media-tile">
          <Stack gap={4}>
            <AspectRatio ratio={4 / 3}>
              {previewOf(file) ? (
                <Image
                  src={previewOf(file)}
                  alt={file.alternative_text ?? ''}
                  fit="contain"
                  loading="lazy"
                />
              ) : (
                <Center>{icons.file}</Center>
              )}
            </AspectRatio>
            <Text size="xs" truncate dir="auto">
              {file.name}
            </Text>
          </Stack>
        </UnstyledButton>
      ))}
    </SimpleGrid>
  )
}
