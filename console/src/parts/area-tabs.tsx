import { Tabs } from '@mantine/core'
import { useRouterState } from '@tanstack/react-router'
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
  return (
    <Tabs value={current?.path ?? null} onChange={(to) => to && go(to)} mb="md">
      <Tabs.List aria-label={label} className="area-tabs">
        {tabs.map((tab) => (
          <Tabs.Tab key={tab.path} value={tab.path}>
            {tab.label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
    </Tabs>
  )
}
