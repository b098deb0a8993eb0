import { createTheme } from '@mantine/core'
import type { MouseEvent } from 'react'

/** Calm: one accent, small corners, the system's own font (nothing is loaded from elsewhere). */
export const theme = createTheme({
  primaryColor: 'harbour',
  primaryShade: { light: 7, dark: 7 },
  autoContrast: true,
  defaultRadius: 'sm',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  headings: {
    fontWeight: '600',
    sizes: { h1: { fontSize: '1.375rem' }, h2: { fontSize: '1.05rem' } },
  },
  colors: {
    harbour: [
      '#e8f5fb',
      '#e0f0f8',
      '#a5d0e6',
      '#74b7d9',
      '#4ea3cf',
      '#3696c9',
      '#258fc7',
      '#0f6f9e',
      '#006f9e',
      '#00608b',
    ],
  },
  components: {
    // In a text colour alone does not tell a link from what stands around it.
    Anchor: { defaultProps: { underline: 'always' } },
    // The same file chosen again, when it was mended meanwhile, is a choice as well.
    FileButton: { defaultProps: { inputProps: { onClick: forgetFile } } },
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm' } },
    Tooltip: { defaultProps: { openDelay: 300 } },
    Modal: {
      defaultProps: {
        overlayProps: { backgroundOpacity: 0.4 },
        closeButtonProps: { 'aria-label': 'Close' },
      },
    },
  },
})

function forgetFile({ currentTarget }: MouseEvent<HTMLInputElement>): void {
  currentTarget.value = ''
}
