import {
  ActionIcon,
  AppShell,
  Burger,
  Button,
  Group,
  Kbd,
  Menu,
  NavLink,
  ScrollArea,
  Text,
} from '@mantine/core'
import { useDisclosure, useHotkeys } from '@mantine/hooks'
import { Outlet, useRouterState } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState } from 'react'
import { may, signOut, useSession } from '../api/session.ts'
import type { Area } from '../area.ts'
import { AREAS } from '../areas.ts'
import { useGo } from '../location.ts'
import { Empty } from '../parts/empty.tsx'
import { icons } from '../parts/icons.tsx'
import { tellFault } from '../parts/notify.ts'
import { useTypedAhead } from './typed-ahead.ts'

const FindEverything = lazy(() => import('./find-everything.tsx'))

/** Navigation at the left, search over everything above, the screen in the middle. */
export function Shell() {
  const [isOpen, menu] = useDisclosure(false)
  const [isFinding, finding] = useDisclosure(false)
  const [hasFound, setFound] = useState(false)
  const [words, setWords] = useState('')
  const session = useSession()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  useHotkeys([['mod+K', isFinding ? finding.close : find]], [])
  useTypedAhead(isFinding, setWords, finding.close)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu of a phone closes when a screen opens
  useEffect(menu.close, [path])
  useEffect(() => {
    if (isFinding) setFound(true)
  }, [isFinding])

  function find() {
    setWords('')
    finding.open()
  }

  return (
    <AppShell
      header={{ height: 48 }}
      navbar={{ width: 216, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
    >
      <AppShell.Header>
        <Group h="100%" px="sm" justify="space-between" wrap="nowrap">
          <Group gap="xs" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={menu.toggle}
              hiddenFrom="sm"
              size="sm"
              aria-label="Menu"
            />
            <Text fw={700} component="a" href="/console/" c="inherit" td="none">
              Entrepot
            </Text>
          </Group>
          <Group gap="xs" wrap="nowrap">
            <Button
              variant="default"
              size="xs"
              leftSection={icons.search}
              rightSection={<Kbd size="xs">Ctrl K</Kbd>}
              onClick={find}
              visibleFrom="sm"
            >
              Find anything
            </Button>
            <ActionIcon variant="default" onClick={find} hiddenFrom="sm" aria-label="Find anything">
              {icons.search}
            </ActionIcon>
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <ScrollArea component="nav" aria-label="Areas">
          {AREAS.filter(({ level }) => may(session, level)).map((area) => (
            <AreaLink key={area.id} area={area} path={path} />
          ))}
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main>
        <Outlet />
      </AppShell.Main>
      <Suspense>
        {hasFound && (
          <FindEverything
            opened={isFinding}
            text={words}
            onText={setWords}
            onClose={finding.close}
          />
        )}
      </Suspense>
    </AppShell>
  )
}

function AreaLink({ area, path }: { area: Area; path: string }) {
  const go = useGo()
  const { label, icon, Menu: Inside } = area
  const isCurrent = path === area.path || path.startsWith(`${area.path}/`)
  return (
    <>
      <NavLink
        href={`/console${area.path}`}
        label={label}
        leftSection={icon}
        active={isCurrent}
        aria-current={isCurrent ? 'page' : undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey) return
          event.preventDefault()
          go(area.path)
        }}
      />
      {isCurrent && Inside && <Inside />}
    </>
  )
}

function PersonMenu() {
  const session = useSession()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" aria-label="Your account">
          {icons.person}
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="wrap-anywhere">
          {session.name ?? session.email} ({session.access})
        </Menu.Label>
        <Menu.Item component="a" href="/docs" leftSection={icons.book}>
          API reference
        </Menu.Item>
        <Menu.Item leftSection={icons.leave} onClick={() => void signOut().catch(tellFault)}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}

export function NotFound() {
  return (
    <div style={{ padding: 24 }}>
      <Empty title="There is no such screen">
        The address may be old. The areas at the left lead everywhere.
      </Empty>
    </div>
  )
}
