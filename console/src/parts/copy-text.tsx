import { ActionIcon, Box, Code, CopyButton, Tooltip } from '@mantine/core'
import { icons } from './icons.tsx'

/** Text to take elsewhere: a command, a key, an address. */
export function CopyText({ text, label = 'Copy' }: { text: string; label?: string }) {
  return (
    <Box pos="relative">
      <Code block pr={44} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
        {text}
      </Code>
      <CopyButton value={text}>
        {({ copied, copy }) => (
          <Tooltip label={copied ? 'Copied' : label}>
            <ActionIcon
              pos="absolute"
              top={6}
              right={6}
              variant="subtle"
              aria-label={label}
              onClick={copy}
            >
              {copied ? icons.check : icons.copy}
            </ActionIcon>
          </Tooltip>
        )}
      </CopyButton>
    </Box>
  )
}
