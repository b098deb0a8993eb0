import type { FastifyRequest } from 'fastify'
import type { AccessLevel, Actor } from '#kernel'
import type { Meter } from './meter.ts'
import type { Principal } from './principal.ts'

export type RouteAccess = AccessLevel | 'any' | 'none' | 'form'

/**
 * The credentials of one dialect, asked before those of the house: undefined when the request carries none of them.
 * Whoever presents one that is wrong is refused, never taken for somebody else.
 */
export type OwnCredential = (request: FastifyRequest) => Principal | Promise<Principal> | undefined

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Who may call the route: a level, `any` for every valid credential, `none` for everybody (a
     * credential that is presented is verified all the same), `form` for everybody who sends something in:
     * without a credential counted and limited by address. Absent: as the mount says. A function
     * where one route serves many resources.
     */
    access?: RouteAccess | ((request: FastifyRequest) => RouteAccess)
    /** `false`: outside plan endpoint lists and limits, recorded as not counted (contract §4.5). */
    counted?: false
    /** Gives credentials out: what is presented, expired perhaps, is not looked at. */
    signsIn?: true
    /** Basic authentication is that of an OAuth client here, not that of a user (contract §5). */
    clientLogin?: true
    /**
     * The key of a dialect that has a place of its own for it, asked when none was presented as
     * Doc 2 §5 says. It is verified, limited and metered like any other; undefined: there is none.
     */
    ownKey?: (request: FastifyRequest) => string | undefined | Promise<string | undefined>
    /** The route is an event stream: it takes a one-use ticket as credential (contract §1.3). */
    ticket?: true
  }
  interface FastifyRequest {
    /** What the usage record says of the answer; called by whoever takes the connection over. */
    meter: Meter | null
    /** Replaces the route's template in the usage record, for routes that serve many collections. */
    usageEndpoint: string | null
    /** Who calls, when our own gateway has authenticated, counted and recorded the request. */
    forwardedActor: Actor | null
  }
}
