import { NavLink } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRouterState } from '@tanstack/react-router'
import { typesQuery } from '../../api/content.ts'
import { useGo } from '../../location.ts'

/** The types below Content in the navigation. */
export function TypeMenu() {
  const { data: types = [] } = useQuery(typesQuery)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const go = useGo()
  return types.map(({ uid, displayName, pluralName }) => {
    const to = `/content/${pluralName}`
    const isCurrent = path === to || path.startsWith(`${to}/`)
    return (
      <NavLink
        key={uid}
        href={`/console${to}`}
        label={displayName}
        pl={40}
        py={4}
        active={isCurrent}
        variant="subtle"
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey) return
          event.preventDefault()
          go(to)
        }}
      />
    )
  })
}
