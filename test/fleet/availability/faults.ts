import type { MemberProcess } from '../cluster/memberProcess.ts'
import type { TestFleet } from '../cluster/testFleet.ts'

/** Something that befalls a fleet, and its end. */
export interface Fault {
  readonly name: string
  /** Members whose own requests may fail. */
  readonly hit: readonly number[]
  /** Members whose filters are away meanwhile: polls of them are counted apart. */
  readonly away: readonly number[]
  begin(): Promise<void>
  end(): Promise<void>
}

const READY_MS = 120_000

/** All that befalls each member and each NATS server in turn, then all servers. */
export function faultsOf(fleet: TestFleet): readonly Fault[] {
  const { members, servers, network } = fleet
  const nats = servers?.servers ?? []
  const none = { hit: [], away: [] } as const
  const places = [...members.map((_, at) => at), ...nats.map((_, at) => members.length + at)]
  const cuts = (at: number, both: boolean) => {
    for (const other of places) {
      if (other === at) continue
      network?.cut(at, other)
      if (both) network?.cut(other, at)
    }
  }
  const cutFaults = (name: string, at: number, away: readonly number[]): readonly Fault[] =>
    network === null
      ? []
      : [false, true].map((both) => ({
          hit: away,
          away,
          name: `${name} cut off ${both ? 'both ways' : 'one way'}`,
          begin: async () => cuts(at, both),
          end: async () => network.heal(),
        }))
  return [
    ...members.flatMap((member, at) => [killed(member, at), stopped(member, at)]),
    ...members.flatMap((_, at) => cutFaults(`member ${at}`, at, [at])),
    ...nats.flatMap((server, at): readonly Fault[] => [
      {
        ...none,
        name: `NATS server ${at} killed`,
        begin: () => server.kill(),
        end: async () => {
          server.start()
          await servers?.untilReady()
        },
      },
      {
        ...none,
        name: `NATS server ${at} stopped`,
        begin: async () => server.pause(),
        end: async () => server.resume(),
      },
    ]),
    ...nats.flatMap((_, at) => cutFaults(`NATS server ${at}`, members.length + at, [])),
    {
      ...none,
      away: members.map((_, at) => at),
      name: 'all NATS servers killed',
      begin: async () => {
        await servers?.kill()
      },
      end: async () => {
        await servers?.start()
      },
    },
  ]
}

/** Each member ends by itself and starts again, one after the other. */
export function rollingRestart(members: readonly MemberProcess[]): readonly Fault[] {
  return members.map((member, at) => ({
    name: `member ${at} restarted`,
    hit: [at],
    away: [at],
    begin: () => member.end('SIGTERM'),
    end: () => start(member),
  }))
}

async function start(member: MemberProcess): Promise<void> {
  await member.start()
  await member.untilReady(READY_MS)
}

function killed(member: MemberProcess, at: number): Fault {
  return {
    name: `member ${at} killed`,
    hit: [at],
    away: [at],
    begin: () => member.end('SIGKILL'),
    end: () => start(member),
  }
}

function stopped(member: MemberProcess, at: number): Fault {
  return {
    name: `member ${at} stopped`,
    hit: [at],
    away: [at],
    begin: async () => member.signal('SIGSTOP'),
    end: async () => member.signal('SIGCONT'),
  }
}
