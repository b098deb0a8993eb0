import type { ComponentType, ReactNode } from 'react'
import type { Level, Session } from './api/session.ts'

/** One place of the navigation with its screens, each loaded when it is first opened. */
export interface Area {
  readonly id: string
  readonly label: string
  readonly icon: ReactNode
  /** Below `/console`; where the navigation leads. */
  readonly path: string
  /** From this level on it is shown. */
  readonly level: Level
  readonly screens: readonly Screen[]
  /** What Ctrl/Cmd-K finds of it; asked with at least two characters. */
  readonly find?: (text: string, session: Session) => Promise<readonly Found[]>
  /** Entries of the navigation below it, loaded when the area is open. */
  readonly Menu?: ComponentType
}

interface Screen {
  /** Such as `/content/$type`. */
  readonly path: string
  readonly load: () => Promise<{ default: ComponentType }>
}

/** One line of the search over everything. */
export interface Found {
  readonly id: string
  readonly label: string
  readonly note?: string | undefined
  /** Where Enter leads. */
  readonly to: string
}
