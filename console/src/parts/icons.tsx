import type { ReactNode } from 'react'

/** Drawn here, so that no set of thousands has to be installed. */
function icon(...paths: string[]): ReactNode {
  return (
    <svg
      width="18"
      height="18"
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.8"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {paths.map((path) => (
        <path key={path} d={path} />
      ))}
    </svg>
  )
}

export const icons = {
  home: icon('M4 11l8-7 8 7', 'M6 9.5V20h12V9.5', 'M10 20v-6h4v6'),
  flag: icon('M5 21V4', 'M5 4h12l-2.5 4L17 12H5'),
  content: icon('M5 3h10l4 4v14H5z', 'M14 3v5h5', 'M8 12h8', 'M8 16h6'),
  media: icon('M4 5h16v14H4z', 'M4 16l5-5 4 4 3-3 4 4', 'M15 9h.01'),
  types: icon('M4 4h7v7H4z', 'M13 13h7v7h-7z', 'M17 4v6', 'M14 7h6', 'M7.5 14v6', 'M4.5 17h6'),
  key: icon('M14 10a4 4 0 1 0-3.5 4L12 15.500V18h2.500v2.500H18V17l-4.300-4.300', 'M10 9h.01'),
  chart: icon('M4 20h16', 'M7 16v-5', 'M12 16V6', 'M17 16v-8'),
  webhook: icon('M4 12a8 8 0 0 1 13-6', 'M17 2v4h-4', 'M20 12a8 8 0 0 1-13 6', 'M7 22v-4h4'),
  gateway: icon('M4 7h9', 'M10 4l3 3-3 3', 'M20 17h-9', 'M14 14l-3 3 3 3'),
  spider: icon('M12 4v16', 'M4 12h16', 'M6.500 6.500l11 11', 'M17.500 6.500l-11 11'),
  box: icon('M4 8l8-4 8 4v8l-8 4-8-4z', 'M4 8l8 4 8-4', 'M12 12v8'),
  cog: icon(
    'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6z',
    'M12 3v3',
    'M12 18v3',
    'M3 12h3',
    'M18 12h3',
    'M5.600 5.600l2.100 2.100',
    'M16.300 16.300l2.100 2.100',
    'M5.600 18.400l2.100-2.100',
    'M16.300 7.700l2.100-2.100',
  ),
  code: icon('M8 8l-4 4 4 4', 'M16 8l4 4-4 4', 'M13.500 5l-3 14'),
  plus: icon('M12 5v14', 'M5 12h14'),
  search: icon('M11 5a6 6 0 1 0 0 12 6 6 0 0 0 0-12z', 'M15.500 15.500L20 20'),
  trash: icon('M5 7h14', 'M9 7V4h6v3', 'M7 7l1 13h8l1-13', 'M10.500 11v5', 'M13.500 11v5'),
  up: icon('M12 19V6', 'M6 11l6-6 6 6'),
  down: icon('M12 5v13', 'M6 13l6 6 6-6'),
  left: icon('M15 6l-6 6 6 6'),
  right: icon('M9 6l6 6-6 6'),
  copy: icon('M9 9h11v11H9z', 'M5 15H4V4h11v1'),
  check: icon('M5 12.500l4.500 4.500L19 7.500'),
  close: icon('M6 6l12 12', 'M18 6L6 18'),
  upload: icon('M12 16V5', 'M7 9.500L12 4.500l5 5', 'M5 19h14'),
  download: icon('M12 5v11', 'M7 11.500l5 5 5-5', 'M5 20h14'),
  columns: icon('M4 5h16v14H4z', 'M9.500 5v14', 'M14.500 5v14'),
  filter: icon('M4 6h16', 'M7 12h10', 'M10 18h4'),
  more: icon('M12 6h.01', 'M12 12h.01', 'M12 18h.01'),
  clock: icon('M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16z', 'M12 8v4l3 2'),
  folder: icon('M4 6h6l2 2h8v11H4z'),
  file: icon('M6 3h8l4 4v14H6z', 'M14 3v4h4'),
  leave: icon('M14 5H6v14h8', 'M11 12h9', 'M17 9l3 3-3 3'),
  person: icon('M12 5a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z', 'M5 20c1-4 4-5 7-5s6 1 7 5'),
  book: icon('M5 4h6l1 1 1-1h6v15h-6l-1 1-1-1H5z', 'M12 5v15'),
  star: icon('M12 4l2.500 5 5.500.800-4 4 1 5.500-5-2.600-5 2.600 1-5.500-4-4L9.500 9z'),
  warning: icon('M12 4l9 16H3z', 'M12 10v4', 'M12 17h.01'),
  grid: icon('M4 4h7v7H4z', 'M13 4h7v7h-7z', 'M4 13h7v7H4z', 'M13 13h7v7h-7z'),
  list: icon('M8 6h12', 'M8 12h12', 'M8 18h12', 'M4 6h.01', 'M4 12h.01', 'M4 18h.01'),
} satisfies Record<string, ReactNode>
