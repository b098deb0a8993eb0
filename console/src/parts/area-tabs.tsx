import { Tabs } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useGo } from '../location.ts'

interface Props {
  readonly label: string
  readonly tabs: readonly { readonly path: string; readonly label: string }[]
}

/** The screens of an area side by side; which one is open is in the URL. */
export function AreaTabs({ label, tabs }: Props) {
  const go = useGo()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const current = [...tabs]
    .sort((a, b) => b.path.length - a.path.length)
    .find((tab) => path === tab.path || path.startsWith(`${tab.path}/`))
  const list = useRef<HTMLDivElement>(null)
  // On a phone not all of them fit: the open one is moved into sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it moves with the path
  useEffect(() => {
    const open = list.current?.querySelector<HTMLElement>('[data-active]')
    if (list.current && open) list.current.scrollLeft = open.offsetLeft - 24
  }, [path])
  return (
    <Tabs value={current?.path ?? null} onChange={(to) => to && go(to)} mb="md">
      <Tabs.List ref={list} aria-label={label} className="area-tabs">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.path} value={tab.path}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  )
}
