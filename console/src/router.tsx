import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router'
import { queryClient } from './api/query-client.ts'
import { may, sessionQuery } from './api/session.ts'
import { AREAS } from './areas.ts'
import { ScreenFault } from './parts/screen-fault.tsx'
import { NotFound, Shell } from './shell/shell.tsx'

const root = createRootRoute({
  component: Shell,
  errorComponent: ScreenFault,
  notFoundComponent: NotFound,
})

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    const session = queryClient.getQueryData(sessionQuery.queryKey)
    const first = AREAS.find(({ level }) => session && may(session, level))
    if (first) throw redirect({ href: `/console${first.path}` })
  },
  component: NotFound,
})

const screens = AREAS.flatMap(({ screens, level }) =>
  screens.map(({ path, load }) =>
    createRoute({
      getParentRoute: () => root,
      path,
      beforeLoad: () => {
        const session = queryClient.getQueryData(sessionQuery.queryKey)
        if (session && !may(session, level)) throw notFound()
      },
      component: lazyRouteComponent(load),
      errorComponent: ScreenFault,
    }),
  ),
)

/** Values in the URL are texts, as they are everywhere else on the web. */
export const router = createRouter({
  routeTree: root.addChildren([start, ...screens]),
  basepath: '/console',
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
  defaultPreload: 'intent',
  scrollRestoration: true,
})
