import { setTimeout as sleep } from 'node:timers/promises'
import type { TestFleet } from '../cluster/testFleet.ts'

/** What a fault is done with. */
export interface FaultContext {
  readonly fleet: TestFleet
  /** From 0 to below 1. */
  readonly random: () => number
}

/** What became of a fault. */
export interface FaultResult {
  /** For people: to whom, how long. */
  readonly what: string
  /** Members whose processes ended. */
  readonly killed: readonly number[]
}

/** A way in which a fleet is disturbed. */
export interface FaultKind {
  readonly name: string
  /** Whether members hand their filters to others by it. */
  readonly handsOver?: true
  /** Whether the chain reorganises; at random unless given. */
  readonly reorganises?: boolean
  /** Why it cannot be done here; null when it can. */
  whyNot(fleet: TestFleet): string | null
  /** Does it, and heals it, but for the time that members take to be ready again. */
  run(context: FaultContext): Promise<FaultResult>
}

const SLOW_MS = 60
const DISK_FREE_BYTES = 64 * 1024
const HOUR = 3600

const always = () => null
const needsServers = ({ servers }: TestFleet) => (servers === null ? 'there is no NATS' : null)
const needsNetwork = ({ network }: TestFleet) =>
  network === null ? 'network namespaces are not allowed here' : null
const needsDisk = ({ disk }: TestFleet) => (disk === null ? 'no file system may be mounted here' : null)
const needsVersions = ({ members }: TestFleet) =>
  members.some(({ hasOtherProgram }) => hasOtherProgram) ? null : 'no other version is given'
const needsClock = ({ members }: TestFleet) =>
  members.every(({ hasClock }) => !hasClock) ? 'libfaketime is not installed' : null

/** Milliseconds around the length of a lease, shorter and longer ones. */
const spell = ({ fleet, random }: FaultContext, most = 2.5) =>
  Math.round(fleet.lease * (0.2 + random() * most))
const pick = (count: number, random: () => number) => Math.floor(random() * count)
const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(1)} s`

/** Everything that is done to fleets (issue 21, what it must show, 2). */
export const FAULT_KINDS: readonly FaultKind[] = [
  {
    name: 'kill a member',
    whyNot: always,
    run: async (context) => {
      const member = pick(context.fleet.members.length, context.random)
      const time = spell(context, 1.5)
      await context.fleet.members[member]?.end('SIGKILL')
      await sleep(time)
      await context.fleet.members[member]?.start()
      return { what: `member ${member}, started again after ${seconds(time)}`, killed: [member] }
    },
  },
  {
    name: 'stop a member as an upgrade does',
    handsOver: true,
    whyNot: always,
    run: async ({ fleet, random }) => {
      const member = pick(fleet.members.length, random)
      await fleet.members[member]?.end('SIGTERM')
      await fleet.members[member]?.start()
      return { what: `member ${member}`, killed: [] }
    },
  },
  {
    name: 'upgrade a member, or go back',
    handsOver: true,
    whyNot: needsVersions,
    run: async ({ fleet, random }) => {
      const member = pick(fleet.members.length, random)
      await fleet.members[member]?.end('SIGTERM')
      fleet.members[member]?.changeProgram()
      await fleet.members[member]?.start()
      return { what: `member ${member}`, killed: [] }
    },
  },
  {
    name: 'drain a member',
    handsOver: true,
    whyNot: needsServers,
    run: async (context) => {
      const { fleet, random } = context
      const member = pick(fleet.members.length, random)
      const time = spell(context, 1)
      await fleet.command(['fleet', 'drain', `m${member}`])
      await sleep(time)
      await fleet.members[member]?.end('SIGTERM')
      await fleet.members[member]?.start()
      return { what: `member ${member}, started again after ${seconds(time)}`, killed: [] }
    },
  },
  {
    name: 'reorganise the chain',
    reorganises: true,
    whyNot: always,
    run: async (context) => {
      const time = spell(context, 3)
      await sleep(time)
      return { what: `for ${seconds(time)}`, killed: [] }
    },
  },
  {
    name: 'kill a server of NATS',
    whyNot: needsServers,
    run: async (context) => {
      const { servers = [] } = context.fleet.servers ?? {}
      const at = pick(servers.length, context.random)
      const time = spell(context)
      await servers[at]?.kill()
      await sleep(time)
      servers[at]?.start()
      await context.fleet.servers?.untilReady()
      return { what: `server ${at}, started again after ${seconds(time)}`, killed: [] }
    },
  },
  {
    name: 'kill all servers of NATS',
    whyNot: needsServers,
    run: async (context) => {
      const time = spell(context)
      await context.fleet.servers?.kill()
      await sleep(time)
      await context.fleet.servers?.start()
      return { what: `started again after ${seconds(time)}`, killed: [] }
    },
  },
  {
    name: 'kill a member and a server of NATS',
    whyNot: needsServers,
    run: async (context) => {
      const { fleet, random } = context
      const { servers = [] } = fleet.servers ?? {}
      const [member, at, time] = [
        pick(fleet.members.length, random),
        pick(servers.length, random),
        spell(context),
      ]
      await Promise.all([fleet.members[member]?.end('SIGKILL'), servers[at]?.kill()])
      await sleep(time)
      servers[at]?.start()
      await fleet.servers?.untilReady()
      await fleet.members[member]?.start()
      return { what: `member ${member} and server ${at} for ${seconds(time)}`, killed: [member] }
    },
  },
  {
    name: 'have a server of NATS stand still',
    whyNot: needsServers,
    run: async (context) => {
      const { servers = [] } = context.fleet.servers ?? {}
      const at = pick(servers.length, context.random)
      const time = spell(context)
      servers[at]?.pause()
      await sleep(time)
      servers[at]?.resume()
      return { what: `server ${at} for ${seconds(time)}`, killed: [] }
    },
  },
  ...(['both ways', 'what it sends', 'what it is sent'] as const).map(
    (way): FaultKind => ({
      name: `cut a member off, ${way}`,
      whyNot: needsNetwork,
      run: async (context) => {
        const { fleet, random } = context
        const member = pick(fleet.members.length, random)
        const time = spell(context)
        const others = [...(fleet.network?.places.keys() ?? [])].slice(fleet.members.length)
        for (const server of others) {
          if (way !== 'what it is sent') fleet.network?.cut(member, server)
          if (way !== 'what it sends') fleet.network?.cut(server, member)
        }
        await sleep(time)
        fleet.network?.heal()
        return { what: `member ${member} for ${seconds(time)}`, killed: [] }
      },
    }),
  ),
  ...(['both ways', 'one way'] as const).map(
    (way): FaultKind => ({
      name: `split the fleet, ${way}`,
      whyNot: needsNetwork,
      run: async (context) => {
        const { fleet, random } = context
        const places = [...(fleet.network?.places.keys() ?? [])]
        const here = new Set(places.filter(() => random() < 0.5))
        const time = spell(context)
        for (const one of here) {
          for (const other of places.filter((place) => !here.has(place))) {
            fleet.network?.cut(one, other)
            if (way === 'both ways') fleet.network?.cut(other, one)
          }
        }
        await sleep(time)
        fleet.network?.heal()
        return { what: `{${[...here].join(', ')}} from the others for ${seconds(time)}`, killed: [] }
      },
    }),
  ),
  {
    name: 'have a member stand still',
    whyNot: always,
    run: async (context) => {
      const { fleet, random } = context
      const member = pick(fleet.members.length, random)
      const time = spell(context, 3)
      fleet.members[member]?.signal('SIGSTOP')
      await sleep(time)
      fleet.members[member]?.signal('SIGCONT')
      return { what: `member ${member} for ${seconds(time)}`, killed: [] }
    },
  },
  {
    name: 'slow a member down',
    whyNot: always,
    run: async (context) => {
      const { fleet, random } = context
      const member = pick(fleet.members.length, random)
      const time = spell(context)
      for (const until = performance.now() + time; performance.now() < until; ) {
        fleet.members[member]?.signal('SIGSTOP')
        await sleep(SLOW_MS)
        fleet.members[member]?.signal('SIGCONT')
        await sleep(SLOW_MS * random())
      }
      return { what: `member ${member} for ${seconds(time)}`, killed: [] }
    },
  },
  {
    name: 'fill the disk of a member',
    whyNot: needsDisk,
    run: async (context) => {
      const { disk, members } = context.fleet
      const time = spell(context)
      disk?.fill(DISK_FREE_BYTES)
      await sleep(time)
      disk?.empty()
      return { what: `member ${members.length - 1} for ${seconds(time)}`, killed: [] }
    },
  },
  {
    name: 'move the clock of a member',
    whyNot: needsClock,
    run: async (context) => {
      const { fleet, random } = context
      const member = pick(fleet.members.length, random)
      const [time, by] = [spell(context), Math.round((random() - 0.5) * 2 * HOUR)]
      fleet.members[member]?.setClock(by)
      await sleep(time)
      fleet.members[member]?.setClock(0)
      return { what: `member ${member} by ${by} s for ${seconds(time)}`, killed: [] }
    },
  },
]
